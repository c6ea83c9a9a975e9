import fc from 'fast-check';
import type { ChunkingRecipe, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { ALL_TEXTS, MODELS, type Contents, type Scenario } from './scenario.ts';

export type Step =
  | Readonly<{ do: 'index' | 'submit' | 'process' | 'complete'; name: string; contents: Contents }>
  | Readonly<{ do: 'fail' | 'delete' | 'reembed' | 'relist'; name: string }>
  | Readonly<{ do: 'declare'; language: string }>
  | Readonly<{ do: 'start'; model: EmbeddingVersion; chunking?: ChunkingRecipe }>
  | Readonly<{ do: 'activate' | 'retire'; which: number }>;

export const OTHER_CHUNKING: ChunkingRecipe = { settings: { markdown: { maxChars: 500 } }, contextual: 'none' };

const name = fc.constantFrom('a', 'b');
const model = fc.constantFrom(...MODELS);
/** Few texts, so that versions share chunks and A-B-A histories occur. */
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
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('fail' as const, 'delete' as const, 'reembed' as const, 'reembed' as const, 'relist' as const),
      name,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('declare' as const), language: fc.constantFrom('de', 'fr-CA', 'ru', 'und') }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { do: fc.constant('start' as const), model, chunking: fc.constantFrom(OTHER_CHUNKING) },
      { requiredKeys: ['do', 'model'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('activate' as const, 'retire' as const), which: fc.nat(3) }) },
);

export const histories = fc.array(step, { minLength: 1, maxLength: 14 });

/** Applies a step; a command that the decider rejects has no effect. */
export const applyStep = async (scenario: Scenario, happened: Step): Promise<void> => {
  switch (happened.do) {
    case 'index':
      return scenario.indexed(happened.name, happened.contents);
    case 'submit':
      return scenario.submitted(happened.name, happened.contents);
    case 'process':
      return scenario.processed(happened.name, happened.contents);
    case 'complete':
      return scenario.completed(happened.name, happened.contents);
    case 'fail':
      return scenario.failed(happened.name);
    case 'delete':
      return scenario.deleted(happened.name);
    case 'reembed':
      return scenario.reembedded(happened.name);
    case 'declare':
      return scenario.declared(happened.language);
    case 'start':
      return scenario.generationStarted(happened.model, happened.chunking);
    case 'relist':
      return scenario.relisted(happened.name);
    default: {
      const generation = (await scenario.generations())[happened.which]?.id;
      if (generation !== undefined) await scenario.scope({ type: happened.do === 'activate' ? 'Activate' : 'Retire', generation });
    }
  }
};
