import { z } from 'zod';
import { list, part, view } from '../view.ts';
import { position } from './documents.ts';

const event = part({ position, type: z.string(), at: z.string() });

const kind = z.enum([
  'indexed',
  'reindexed',
  'deleted',
  'reembedded',
  'copy',
  'group',
  'competitor',
  'statistics',
  'cutOver',
  'reconfigured',
  'request',
]);

const cause = view(
  'ReplayCause',
  {
    kind,
    detail: z.string(),
    events: list(event),
  },
  '`indexed`, `reindexed`, `deleted`: the document of the hit. `reembedded`: its vector. `copy`: in a search that collapses, a passage that says the same stands for it, or does so no more. `group`: in a search that groups, its document has another best passage, or others have its place. `competitor`: other passages came or went above it. `statistics`: words became rarer or more frequent, or scores are spread otherwise. `cutOver`: another generation serves its scope. `reconfigured`: the language of its knowledge base, the weight of its model, or the reranker. `request`: the comparison asks otherwise, which is no event.',
);
export type ReplayCause = z.infer<typeof cause>;

const hit = view('ReplayHit', {
  rank: z.number(),
  score: z.number(),
  chunkId: z.string(),
  documentId: z.string(),
  scope: z.string(),
  source: z.string(),
  title: z.string(),
  citation: z.string(),
  text: z.string(),
});
export type ReplayHit = z.infer<typeof hit>;

const place = part({ rank: z.number(), score: z.number() });

const change = view('ReplayChange', {
  change: z.enum(['gained', 'lost', 'moved']),
  hit,
  before: place.describe('Its place in the recorded search.').exactOptional(),
  after: place.describe('Its place in the search that it is compared with.').exactOptional(),
  causes: list(cause),
});
export type ReplayChange = z.infer<typeof change>;

export const replayResult = view(
  'ReplayResult',
  {
    traceId: z.string(),
    position: position.describe('Position of the recorded search.'),
    retrievedAt: z.string(),
    identical: z.boolean().describe('True if the replay has the recorded hits with the recorded scores, to the last bit.'),
    sameHits: z.boolean().describe('True if it has the recorded hits in the recorded order, whatever their scores.'),
    differences: list(
      part({
        reason: z.enum(['erased', 'generation', 'analyser', 'model', 'store', 'reranker', 'overlap', 'unknown']),
        detail: z.string(),
        events: list(event),
      }),
    ).describe(
      'Why it is not identical. `erased`: documents about a person were erased since. `generation`: the generation is no longer there. `analyser`: the analysis of words changed with the version. `model`: the vector of the query was not recorded. `store`: on services, live vectors are in another store than those of the past, and scores differ slightly. `reranker`: the reranker is another one or was not available, or it was asked again and scored otherwise. `overlap`: the search ran while these events were projected.',
    ),
    recorded: list(part({ rank: z.number(), score: z.number(), chunkId: z.string(), documentId: z.string() })).describe(
      'The hits on the record.',
    ),
    hits: list(hit).describe('The hits of the replay, with the texts of that time.'),
    against: part({
      position: position.describe('Position of the search that it is compared with.'),
      hits: list(hit),
      changes: list(change),
      unchanged: z.number().describe('Hits at the same rank.'),
      lexicalOnly: list(z.string()).describe('Scopes that were searched by words only, because their model is not configured.'),
      truncated: z.boolean().describe('True if so much happened in between that not all of it was read; causes may be missing.'),
    })
      .describe('Only on request.')
      .exactOptional(),
  },
  'A past search, run again.',
);
export type ReplayResult = z.infer<typeof replayResult>;

const causes = list(part({ kind, changes: z.number() }));

const compared = view('ComparedRetrieval', {
  traceId: z.string(),
  retrievedAt: z.string(),
  position,
  identical: z.boolean().describe('Whether the replay has the recorded hits with the recorded scores.'),
  gained: z.number(),
  lost: z.number(),
  moved: z.number(),
  overlap: z.number().describe('Share of the results that both have, from 0 to 1.'),
  rbo: z.number().describe('Rank-biased overlap of both rankings, from 0 (nothing in common) to 1 (the same).'),
  causes: causes.describe('How many of the changes have a cause of each kind, the most frequent first. A change may have several.'),
  truncated: z
    .boolean()
    .exactOptional()
    .describe('True if so much happened in between that not all of it was read; causes may be missing or wrong.'),
});
export type ComparedRetrieval = z.infer<typeof compared>;

const skipped = z.enum(['query', 'refused', 'model', 'erased', 'removed', 'unreadable', 'old']);

export const replayedWindow = view(
  'ReplayedWindow',
  {
    summary: part({
      replayed: z.number(),
      identical: z.number().describe('Replays that have the recorded hits with the recorded scores.'),
      changed: z.number().describe('Searches with another result, or with the same results in another order.'),
      gained: z.number(),
      lost: z.number(),
      moved: z.number(),
      overlap: z.number().describe('Mean; missing if nothing was replayed.').exactOptional(),
      rbo: z.number().describe('Mean; missing if nothing was replayed.').exactOptional(),
      causes: causes.describe('How many changes have a cause of each kind, the most frequent first.'),
      skipped: list(part({ reason: skipped, count: z.number() })).describe('How many could not be replayed, by reason.'),
    }).describe('Of this page.'),
    retrievals: list(compared),
    skipped: list(part({ traceId: z.string(), reason: skipped })).describe(
      '`query`: its text is not recorded. `refused`: a model of the comparison does not accept its text. `model`: it searches by vectors only, and a model is not configured. `erased`: the key of its scope was destroyed. `removed`: the history of its moment was removed from the log. `unreadable`: its record does not open. `old`: a version before 0.2 recorded it.',
    ),
    next: z.string().exactOptional(),
  },
  'Many past searches, compared with others.',
);
export type ReplayedWindow = z.infer<typeof replayedWindow>;
