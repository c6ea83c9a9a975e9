import fc from 'fast-check';
import type { EmbeddingVersion } from '@palimpsest/knowledge';
import { ALL_TEXTS, MODELS, type Contents, type Story } from './story.ts';

export type Step =
  | Readonly<{ do: 'index' | 'submit' | 'process' | 'complete'; name: string; contents: Contents }>
  | Readonly<{ do: 'fail' | 'delete' | 'reembed'; name: string }>
  | Readonly<{ do: 'declare'; language: string }>
  | Readonly<{ do: 'start'; model: EmbeddingVersion }>
  | Readonly<{ do: 'activate' | 'retire'; which: number }>;

const name = fc.constantFrom('a', 'b');
const model = fc.constantFrom(...MODELS);
/** Few texts, so that versions share chunks, and A, B, A comes about. */
const contents: fc.Arbitrary<Contents> = fc.record(
  {
    texts: fc.uniqueArray(fc.constantFrom(...ALL_TEXTS.slice(0, 4)), { minLength: 1, maxLength: 3 }),
    label: fc.constantFrom('x', 'y'),
    property: fc.constantFrom('p', 'q'),
    language: fc.constant('und'),
    models: fc.uniqueArray(model, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['texts'] },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('index' as const), name, contents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('submit' as const, 'process' as const, 'complete' as const), name, contents }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('fail' as const, 'delete' as const, 'reembed' as const, 'reembed' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('declare' as const), language: fc.constantFrom('de', 'fr-CA', 'ru', 'und') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start' as const), model }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('activate' as const, 'retire' as const), which: fc.nat(3) }) },
);

export const histories = fc.array(step, { minLength: 1, maxLength: 14 });

/** What the deciders refuse does not happen. */
export const tell = async (story: Story, happened: Step): Promise<void> => {
  switch (happened.do) {
    case 'index':
      return story.indexed(happened.name, happened.contents);
    case 'submit':
      return story.submitted(happened.name, happened.contents);
    case 'process':
      return story.processed(happened.name, happened.contents);
    case 'complete':
      return story.completed(happened.name, happened.contents);
    case 'fail':
      return story.failed(happened.name);
    case 'delete':
      return story.deleted(happened.name);
    case 'reembed':
      return story.reembedded(happened.name);
    case 'declare':
      return story.declared(happened.language);
    case 'start':
      return story.generationStarted(happened.model);
    default: {
      const generation = (await story.generations())[happened.which]?.id;
      if (generation !== undefined) await story.scope({ type: happened.do === 'activate' ? 'Activate' : 'Retire', generation });
    }
  }
};
