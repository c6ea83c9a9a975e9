import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';

const shape = {
  set: z.string(),
  version: z.number().describe('Counts the imports that changed the set, from 1.'),
  queries: z.number(),
  synthetic: z.number().describe('Queries that a model wrote instead of a person.'),
  judgements: z.number(),
  missing: z.number().describe('Judgements of documents that do not exist now.'),
  importedAt: z.string(),
};

export const goldenSetView = view('GoldenSetView', shape, 'The latest version of a golden set.');
export type GoldenSetView = z.infer<typeof goldenSetView>;

export const goldenSetList = view('GoldenSetList', { sets: list(goldenSetView) });
export type GoldenSetList = z.infer<typeof goldenSetList>;

const judgement = part({
  documentId: z.string(),
  source: z.string().exactOptional().describe('Missing if the document was named by its id and did not exist then.'),
  knowledgeBase: z.string().exactOptional(),
  grade: z.number().describe('1 and more: relevant; 0: judged as not relevant.'),
  missing: z.boolean().describe('The document does not exist now.'),
});

const goldenQueryView = view('GoldenQueryView', {
  id: z.string(),
  text: z.string(),
  synthetic: z.boolean().describe('Written by a model instead of a person.'),
  judgements: list(judgement),
});
export type GoldenQueryView = z.infer<typeof goldenQueryView>;

export const goldenSetPage = view(
  'GoldenSetPage',
  { ...shape, items: list(goldenQueryView), next: z.string().exactOptional() },
  'Its queries, sorted by id.',
);
export type GoldenSetPage = z.infer<typeof goldenSetPage>;

export const goldenSetImported = view(
  'GoldenSetImported',
  { ...shape, changed: z.boolean().describe('`false`: the set already had exactly these queries.'), position },
  '`position`: position of the event, or of the latest one of the golden sets if nothing changed.',
);
export type GoldenSetImported = z.infer<typeof goldenSetImported>;

/** In the form of an import, so that an export can be imported again. */
export const goldenQueryLine = view('GoldenQueryLine', {
  id: z.string(),
  text: z.string(),
  synthetic: z.boolean(),
  judgements: list(
    part({
      source: z.string().exactOptional(),
      knowledgeBase: z.string().exactOptional(),
      documentId: z.string().exactOptional(),
      grade: z.number(),
    }),
  ),
});
export type GoldenQueryLine = z.infer<typeof goldenQueryLine>;
