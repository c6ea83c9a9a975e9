import { z } from 'zod';
import { wire } from '../schemas/values.ts';

export const verdict = z.enum(['not-worse', 'worse', 'undecided']);
const source = z.enum(['golden', 'self']);
export const logPosition = z.string().regex(/^[0-9]{1,20}$/);
export const latency = z.object({ p50: z.number(), p95: z.number() });
const results = z.object({ before: z.array(wire.documentId), after: z.array(wire.documentId) });
const figures = { before: z.number(), after: z.number(), documents: results.exactOptional() };

const agreement = z.object({ overlap: z.number(), rbo: z.number(), scoreShift: z.number(), rankShift: z.number() });
/** Positions or times. */
export const queryWindow = z.object({ after: z.string().exactOptional(), before: z.string().exactOptional() });
const past = z.object({
  window: queryWindow.exactOptional(),
  used: wire.count,
  leftOut: wire.count,
  withoutResults: z.object({ before: wire.count, after: wire.count }),
  agreement: agreement.exactOptional(),
  bestScore: z.object({ before: z.number(), after: z.number() }).exactOptional(),
});

const scoreFloors = z.object({
  basis: z.enum(['people', 'passages']),
  queries: wire.count,
  floors: z.array(z.object({ before: z.number(), after: z.number(), share: z.number(), results: wire.count.exactOptional() })),
});

export const measure = z.object({
  source,
  measure: z.string(),
  queries: wire.count,
  before: z.number(),
  after: z.number(),
  difference: z.number(),
  interval: z.tuple([z.number(), z.number()]),
  p: z.number(),
  smallestDetectableEffect: z.number(),
  verdict,
  additionalQueries: wire.count.exactOptional(),
  better: wire.count,
  worse: wire.count,
});

const query = z.discriminatedUnion('source', [
  z.object({ source: z.literal('golden'), set: z.string(), version: wire.ordinal, id: z.string(), ...figures }),
  z.object({
    source: z.literal('self'),
    chunkId: wire.chunkId,
    documentId: wire.documentId,
    start: wire.count,
    end: wire.count,
    ...figures,
  }),
]);

export const evaluationSchema = z.object({
  scope: wire.scope,
  generation: wire.generationId,
  against: wire.generationId,
  verdict,
  reasons: z.array(z.string()),
  decidedBy: z.enum(['golden', 'self', 'faults']),
  additionalQueries: wire.count.exactOptional(),
  margin: z.number(),
  seed: wire.count,
  from: logPosition,
  upTo: logPosition,
  measures: z.array(measure),
  coverage: z.object({ chunks: wire.count, refused: wire.count, unexplained: wire.count }),
  golden: z.object({ used: wire.count, synthetic: wire.count, unusable: wire.count }),
  unsettled: wire.count,
  agreement: agreement.exactOptional(),
  past: past.exactOptional(),
  scoreFloors: scoreFloors.exactOptional(),
  latency: z.object({ before: latency, after: latency }).exactOptional(),
  spotCheck: z.object({ checked: wire.count, mismatched: wire.count, lowest: z.number().exactOptional() }),
  canaryStrings: z.object({ strings: wire.count, lowest: z.number() }).exactOptional(),
  evaluatedAt: wire.time,
  by: z.enum(['person', 'platform']),
  queries: z.array(query),
  sets: z.array(z.object({ name: z.string(), version: wire.ordinal, queries: wire.count })),
  refused: z.array(z.object({ chunkId: wire.chunkId, reason: z.string() })),
  unexplained: z.array(wire.chunkId),
  mismatched: z.array(z.object({ chunkId: wire.chunkId, cosine: z.number() })),
  missingDocuments: z.array(wire.documentId),
  pastQueries: z.array(z.object({ traceId: z.string(), overlap: z.number(), rbo: z.number() })).exactOptional(),
});
