import { z } from 'zod';
import { GOLDEN_LIMITS } from '@palimpsest/knowledge/golden';
import { queryText } from './query-text.ts';
import { wire } from './values.ts';

const { judgements, grade } = GOLDEN_LIMITS;

const judgement = z
  .strictObject({
    source: wire.sourceId.exactOptional().describe('source of the judged document; need not exist'),
    knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('its knowledge base; default: that of the request'),
    documentId: wire.documentId.exactOptional().describe('instead of a source'),
    grade: z.number().int().min(0).max(grade).describe('1 and more: relevant; 0: judged as not relevant'),
  })
  .refine(({ source, documentId }) => (source === undefined) !== (documentId === undefined), 'expected either a source or a documentId')
  .refine(
    ({ documentId, knowledgeBase }) => documentId === undefined || knowledgeBase === undefined,
    'expected a knowledgeBase only with a source',
  );
export type GoldenLineJudgement = z.infer<typeof judgement>;

/** A line of an import: a query with its judgements. */
export const goldenLine = z.strictObject({
  id: wire.goldenQueryId.describe('unique in the set'),
  text: queryText.describe('the query, with the limits of a search'),
  synthetic: z.boolean().default(false).describe('written by a model instead of a person'),
  judgements: z
    .array(judgement)
    .min(1, 'expected at least one judgement')
    .max(judgements, `expected at most ${judgements} judgements`)
    .describe(
      'each `{ source, knowledgeBase?, grade }` or `{ documentId, grade }`; a grade of 1 and more: relevant; 0: judged as not relevant',
    ),
});
export type GoldenLine = z.infer<typeof goldenLine>;
