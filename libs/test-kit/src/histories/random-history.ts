import fc from 'fast-check';
import type { ChunkingRecipe, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { ALL_TEXTS, MODELS, type Contents, type Scenario } from './scenario.ts';

export type Step =
  | Readonly<{ do: 'index' | 'submit' | 'process' | 'complete'; name: string; contents: Contents }>
  | Readonly<{ do: 'fail' | 'delete' | 'reembed' | 'refuse' | 'relist' | 'submit again'; name: string }>
  | Readonly<{ do: 'declare'; language: string }>
  | Readonly<{ do: 'start'; model: EmbeddingVersion; chunking?: ChunkingRecipe }>
  /** `which`: counted from the latest generation. */
  | Readonly<{ do: 'activate' | 'retire'; which: number }>
  | Readonly<{ do: 'roll back' | 'cancel' | 'pause base' | 'resume base' | 'archive base' | 'delete base' }>;

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

export const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('index' as const), name, contents }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('submit' as const, 'process' as const, 'complete' as const), name, contents }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['fail', 'delete', 'delete', 'reembed', 'reembed', 'reembed', 'refuse', 'relist', 'submit again'] as const)),
      name,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('declare' as const), language: fc.constantFrom('de', 'fr-CA', 'ru', 'und') }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { do: fc.constant('start' as const), model, chunking: fc.constantFrom(OTHER_CHUNKING) },
      { requiredKeys: ['do', 'model'] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('activate' as const, 'activate' as const, 'retire' as const), which: fc.nat(2) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('roll back' as const, 'cancel' as const, 'pause base' as const, 'resume base' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('archive base' as const, 'delete base' as const) }) },
);

export const histories = fc.array(steps, { minLength: 1, maxLength: 14 });

/** Applies a step; a command that the decider rejects has no effect. */
export const applyStep = async (scenario: Scenario, step: Step): Promise<void> =>
  'name' in step ? applyToDocument(scenario, step, scenario.nameOf(step.name)) : applyToScope(scenario, step);

const applyToDocument = async (scenario: Scenario, happened: Extract<Step, { name: string }>, of: string): Promise<void> => {
  switch (happened.do) {
    case 'index':
      return scenario.indexed(of, happened.contents);
    case 'submit':
      return scenario.submitted(of, happened.contents);
    case 'process':
      return scenario.processed(of, happened.contents);
    case 'complete':
      return scenario.completed(of, happened.contents);
    case 'submit again':
      return scenario.submittedAgain(of);
    case 'fail':
      return scenario.failed(of);
    case 'delete':
      return scenario.deleted(of);
    case 'reembed':
      return scenario.reembedded(of);
    case 'refuse':
      return scenario.refused(of);
    case 'relist':
      return scenario.relisted(of);
  }
};

const applyToScope = async (scenario: Scenario, happened: Exclude<Step, { name: string }>): Promise<void> => {
  switch (happened.do) {
    case 'declare':
      return scenario.declared(happened.language);
    case 'start':
      return scenario.generationStarted(happened.model, happened.chunking);
    case 'roll back':
      return scenario.scope({ type: 'RollBack' });
    case 'cancel':
      return scenario.scope({ type: 'Cancel' });
    case 'pause base':
      return scenario.base('Pause');
    case 'resume base':
      return scenario.base('Resume');
    case 'archive base':
      return scenario.baseEnded('archived');
    case 'delete base':
      return scenario.baseEnded('deleted');
    case 'activate':
    case 'retire': {
      const generation = (await scenario.generations()).at(-1 - happened.which)?.id;
      if (generation !== undefined) await scenario.scope({ type: happened.do === 'activate' ? 'Activate' : 'Retire', generation });
    }
  }
};
