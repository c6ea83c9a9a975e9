import type { Journal } from '@palimpsest/contracts';
import type { ReplayResult } from '@palimpsest/contracts/http';
import type { Access } from '@palimpsest/knowledge/access';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { Reranking } from '../pipeline/reranking.ts';
import type { CausingEvent } from './cause.ts';
import { ChangesBetween } from './changes-between.ts';
import { rerankedOtherwise } from './reranked-otherwise.ts';
import type { RecordedSearch } from './recorded-search.ts';
import type { Side } from './run-side.ts';

/** Why a search could not be repeated to the last bit. */
export type Difference = Readonly<{
  reason: ReplayResult['differences'][number]['reason'];
  detail: string;
  events: readonly CausingEvent[];
}>;

type Repeated = Readonly<{ record: RetrievalRecordData; recorded: RecordedSearch; then: Side }>;

/** Facts that a search may have met while the read models were changed. */
const MAX_OVERLAPPING = 1_000;

/** All that is known to prevent it, and `unknown` if nothing is. */
export const whyDifferent = async (
  { record, recorded, then }: Repeated,
  { journal, access, analyser, sharesVectors }: Readonly<{ journal: Journal; access: Access; analyser: string; sharesVectors: boolean }>,
): Promise<readonly Difference[]> => {
  const found: Difference[] = [...(await erasures(journal, access, record))];
  for (const { scope, generation } of record.generations) {
    const now = then.generations.get(scope);
    if (now !== generation)
      found.push({
        reason: 'generation',
        detail: `${scope} was served by the generation ${generation}, which is not in its read models at that position`,
        events: [],
      });
  }
  if (record.runtime !== undefined && record.runtime.analyser !== analyser)
    found.push({ reason: 'analyser', detail: `words were analysed by ${record.runtime.analyser}, and are now by ${analyser}`, events: [] });
  const embedded =
    record.strategy !== 'SparseOnly' && record.generations.some(({ embeddingVersion }) => !recorded.vectors.has(embeddingVersion));
  if (embedded)
    found.push({
      reason: 'model',
      detail: `the vector of the query is not on the record, so it was computed again; it is that of the model as it is now${rewrittenAgain(then)}`,
      events: [],
    });
  if (sharesVectors && record.strategy !== 'SparseOnly')
    found.push({
      reason: 'store',
      detail: 'vectors were searched in a store that processes share, which adds float32 values in another order: scores differ slightly',
      events: [],
    });
  const reranking = whyRerankedOtherwise(record.reranking, then.reranked);
  if (reranking !== undefined) found.push({ reason: 'reranker', detail: reranking, events: [] });
  const during = await overlapping(journal, access, record);
  if (during.length > 0)
    found.push({
      reason: 'overlap',
      detail: 'the search ran while the read models took in these events, and saw a part of them',
      events: during,
    });
  return found.length > 0
    ? found
    : [
        {
          reason: 'unknown',
          detail: 'nothing on the log explains the difference; compare the read models with the log: palimpsest verify',
          events: [],
        },
      ];
};

const rewrittenAgain = ({ rewriting }: Side): string => {
  if (rewriting === undefined) return '';
  return rewriting.outcome === 'rewritten'
    ? `, with texts for which the chat model ${rewriting.model} was asked again`
    : `, without texts of the chat model ${rewriting.model} (${rewriting.reason ?? 'it was skipped'})`;
};

/** Undefined for a search without a reranker, and for one that left the order as it was both times. */
const whyRerankedOtherwise = (was: Reranking | undefined, is: Reranking | undefined): string | undefined => {
  if (was === undefined || is === undefined) return undefined;
  if (was.outcome !== is.outcome) return rerankedOtherwise(was, is);
  return was.outcome === 'blended'
    ? `the scores of the reranker ${was.reranker} are not on the record, so it was asked again; they are those of the reranker as it is now`
    : undefined;
};

/** Erasures of persons with documents in the scopes of the search. */
const erasures = async (
  journal: Journal,
  { tenant }: Access,
  { position, permittedScopes }: RetrievalRecordData,
): Promise<readonly Difference[]> => {
  const events: CausingEvent[] = [];
  for await (const { event, metadata, recordedAt: at, ...fact } of journal.readAll({
    types: ['SubjectErased'],
    from: BigInt(position) as Side['position'],
  }))
    if (event.type === 'SubjectErased' && metadata.tenant === tenant && event.data.scopes.some((scope) => permittedScopes.includes(scope)))
      events.push({ position: fact.position, type: event.type, at });
  const where = events.map((each) => each.position).join(', ');
  return events.length === 0
    ? []
    : [{ reason: 'erased', detail: `documents about a person were erased at position ${where}; nothing can read them any more`, events }];
};

/** Events after the position of the search that were on the log before it ended. */
const overlapping = async (
  journal: Journal,
  { tenant }: Access,
  { position, permittedScopes, retrievedAt }: RetrievalRecordData,
): Promise<readonly CausingEvent[]> => {
  const from = BigInt(position) as Side['position'];
  const changes = await ChangesBetween.read(
    journal,
    { tenant, scopes: permittedScopes, from, upTo: await journal.log.head() },
    MAX_OVERLAPPING,
  );
  const all = [...changes.documents.values(), ...changes.activated.values(), ...changes.configured.values()].flat();
  return all
    .filter(({ at }) => at <= retrievedAt)
    .map(({ position: each, type, at }) => ({ position: each, type, at }))
    .sort((a, b) => (a.position < b.position ? -1 : 1));
};
