import { z } from 'zod';
import { STRATEGIES } from '@palimpsest/knowledge/values';
import { queryText } from '../../schemas/query-text.ts';
import { terms } from '../../schemas/terms.ts';
import { wire } from '../../schemas/values.ts';
import { asOf } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { json, route } from '../route.ts';
import { replayedWindow, replayResult } from '../views/replay.ts';
import { FUSIONS, type Filter } from '../views/search.ts';

/** Searches of one page. Each runs two or three times. */
const MAX_WINDOW = 100;

const against = z.strictObject({
  asOf: asOf.describe('the moment to compare with; default: now'),
  strategy: z.enum(STRATEGIES).exactOptional(),
  fusion: z.enum(FUSIONS).exactOptional(),
  topK: z.number().int().min(1).max(REQUEST_LIMITS.topK.max).exactOptional(),
  minScore: z.number().min(-1).max(1).exactOptional(),
  minRelevance: z.number().min(0).max(1).exactOptional(),
  // The domain parses filters. Until then, the declared type is a claim of the caller.
  filter: z.custom<Filter>().meta({ $ref: '#/components/schemas/Filter' }).exactOptional(),
  generations: z
    .record(wire.scope, wire.generationId)
    .exactOptional()
    .describe('generations to ask instead of the active ones, by scope: another model or another chunking, if it is built'),
});

export const replayRetrieval = route({
  id: 'Replay.retrieval',
  method: 'post',
  path: '/v1/retrievals/{traceId}/replay',
  service: 'query',
  tag: 'Search',
  summary: 'Run a past search again exactly as it was, and say why it would answer otherwise today',
  description:
    'The search runs on what the platform contained at its position, with the recorded settings, generations and, if the tenant let them be recorded, the recorded query and its vectors. `identical` says whether hits and scores are the same to the last bit; if not, `differences` names the reasons and events. With `against`, it also runs as of another moment (default: now) or with other settings, and each hit that was gained or lost or that moved has its causes, with their events. Nothing is recorded and nothing changes. Callers replay their own searches, admins those of all callers, if they may read all scopes that were searched.',
  role: 'reader',
  work: 'search',
  rate: 'search',
  idempotent: true,
  params: z.object({ traceId: z.uuid().describe('the `traceId` of the response') }),
  body: json(
    z.strictObject({
      query: queryText
        .exactOptional()
        .describe(
          'the text of the query, to the letter; needed if the tenant does not record queries, and compared with the keyed digest on the record',
        ),
      terms: terms
        .exactOptional()
        .describe('the terms of the search, if it had some; needed if the tenant does not record queries, and compared with their digest'),
      against: against.exactOptional(),
    }),
  ),
  status: 200,
  response: replayResult,
  problems: ['HistoryRemoved', 'NotFound', 'Conflict', 'ScopeKeyDestroyed', 'EmbeddingModelMismatch', 'NotCaughtUp', 'Unavailable'],
  example: {
    parameters: { traceId: '01a21f2a-cfeb-74b4-9403-be3239ada940' },
    body: { 'application/json': { query: 'how many days may be carried over?', against: { topK: 1 } } },
  },
});

export const replayWindow = route({
  id: 'Replay.window',
  method: 'post',
  path: '/v1/retrievals/replay',
  service: 'query',
  tag: 'Search',
  summary: 'Replay many past searches and see how much each would change now, at another moment or with other settings',
  description:
    'Replays the searches that the caller may replay, the newest first, and compares each with `against`: by default the same search now; or another moment, other settings, or generations with another model or chunking before their cut-over. The results are ordered by how much they changed, most first. `skipped` lists searches that cannot be repeated, with the reason. One page of a tenant is replayed at a time (429). `causes` counts why hits came, went or moved; replay a single search for the events, and for its contents. A page may be short and still have a `next`.',
  role: 'reader',
  work: 'search',
  rate: 'search',
  idempotent: true,
  body: json(
    z.strictObject({
      after: wire.asOf.exactOptional().describe('only searches that were recorded after this: a position, or a time (RFC 3339)'),
      before: wire.asOf.exactOptional().describe('only searches that were recorded before this'),
      scope: wire.scope
        .exactOptional()
        .describe('only searches that included this scope; default: all, or with `against.generations` those of its scopes'),
      knowledgeBase: wire.knowledgeBaseId
        .exactOptional()
        .describe('only searches that included this knowledge base, by its name or with its whole scope'),
      limit: z.number().int().min(1).max(MAX_WINDOW).default(20),
      cursor: z.string().max(40).exactOptional(),
      against: against.prefault({}),
    }),
  ),
  status: 200,
  response: replayedWindow,
  problems: ['HistoryRemoved', 'NotFound', 'NotCaughtUp', 'Unavailable'],
  example: { body: { 'application/json': { limit: 2, against: { strategy: 'SparseOnly' } } } },
});
