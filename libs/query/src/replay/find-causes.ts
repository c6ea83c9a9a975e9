import type { ChunkId, DocumentId, VectorScope } from '@palimpsest/knowledge/values';
import type { SearchHit } from '../pipeline/search-hit.ts';
import { arrangedOtherwise } from './arrangement.ts';
import type { Cause, CausingEvent } from './cause.ts';
import type { ChangesBetween } from './changes-between.ts';
import { rerankedOtherwise } from './reranked-otherwise.ts';
import type { Side } from './run-side.ts';

/** `documentOf`: of candidates that are no hits, too. `chosen`: scopes whose generation the comparison names, so no event is the cause. */
type About = Readonly<{
  before: Side;
  after: Side;
  changes: ChangesBetween;
  documentOf: (chunk: ChunkId) => Readonly<{ documentId: DocumentId; scope: VectorScope }> | undefined;
  chosen: ReadonlySet<VectorScope>;
}>;

/**
 * Finds why a hit is at another place on the newer side. What happened to the chunk itself comes first: its document, its generation, its vector,
 * its settings. If nothing did, it is a passage that stands for it, or others of its document in a search that groups; else what came or went above it. If passages only changed places with each other, it is the statistics
 * of the words and scores, which change with the documents that contain a word of the query, or else with all documents of the scope.
 */
export const findCauses = (about: About): ((hit: SearchHit) => readonly Cause[]) => {
  let shared: Cause | undefined;
  // The same for all hits, and of many events.
  const spread = (): Cause => (shared ??= statistics(about));
  return (hit) => causesOf(about, hit, spread);
};

const causesOf = (about: About, hit: SearchHit, spread: () => Cause): readonly Cause[] => {
  const own = ownCause(about, hit.chunkId, hit);
  if (own !== undefined) return [own];
  const reconfigured = reconfiguration(about, hit);
  if (reconfigured !== undefined) return [reconfigured];
  const arranged = arrangement(about, hit.chunkId, hit);
  if (arranged !== undefined) return arranged.events.length > 0 ? [arranged] : [arranged, spread()];
  const moved = passedBy(about, hit.chunkId);
  const causes = moved.map((chunk) => {
    const of = placeOf(about, chunk, hit.scope);
    return ownCause(about, chunk, of) ?? arrangement(about, chunk, of);
  });
  const competitors = causes.filter((cause) => cause !== undefined);
  const found: Cause[] = [];
  if (competitors.length > 0) {
    const events = distinct(competitors.flatMap(({ events: each }) => each));
    found.push({ kind: 'competitor', detail: `${passages(competitors.length)} came or went above it`, events });
  }
  if (competitors.length < moved.length || moved.length === 0) found.push(spread());
  return found;
};

const passages = (count: number): string => (count === 1 ? 'another passage' : `${count} other passages`);

type Place = Readonly<{ documentId: DocumentId | undefined; scope: VectorScope }>;

/** The document is unknown only for a candidate whose document did not change. */
const placeOf = ({ documentOf }: About, chunk: ChunkId, scope: VectorScope): Place => documentOf(chunk) ?? { documentId: undefined, scope };

/** Other passages decide where it is, with what happened to them. Without events, their scores changed alone. */
const arrangement = (about: About, chunk: ChunkId, { documentId, scope }: Place): Cause | undefined => {
  const arranged = arrangedOtherwise(about.before, about.after, { chunk, documentId });
  if (arranged === undefined) return undefined;
  const { kind, detail, by } = arranged;
  return { kind, detail, events: distinct(by.flatMap((other) => ownCause(about, other, placeOf(about, other, scope))?.events ?? [])) };
};

/** Undefined if nothing happened to the chunk itself. */
const ownCause = ({ before, after, changes, chosen }: About, chunk: ChunkId, { documentId, scope }: Place): Cause | undefined => {
  const ofDocument = (documentId === undefined ? undefined : changes.documents.get(documentId)) ?? [];
  const ofChunk = ofDocument.filter(({ written, removed }) => written.has(chunk) || removed.has(chunk));
  const last = ofChunk.at(-1);
  if (last !== undefined) {
    if (last.deleted) return { kind: 'deleted', detail: 'its document was deleted', events: [eventOf(last)] };
    return ofDocument[0]?.version === 1
      ? { kind: 'indexed', detail: 'its document was added', events: ofChunk.map(eventOf) }
      : { kind: 'reindexed', detail: 'its document was changed', events: ofChunk.map(eventOf) };
  }
  const [was, is] = [before.generations.get(scope), after.generations.get(scope)];
  if (was !== is) {
    if (chosen.has(scope))
      return {
        kind: 'request',
        detail: `the comparison asks the generation ${is ?? 'none'} of ${scope} instead of ${was ?? 'none'}`,
        events: [],
      };
    const activated = changes.activated.get(scope) ?? [];
    return {
      kind: 'cutOver',
      detail: `${scope} is served by the generation ${is ?? 'none'} instead of ${was ?? 'none'}`,
      events: activated.slice(-1),
    };
  }
  const version = after.models.get(scope);
  // A swap embeds chunks for a generation that does not serve yet.
  const vectors = version === undefined ? [] : changes.reembedded(chunk, version);
  return vectors.length === 0 ? undefined : { kind: 'reembedded', detail: 'its vector was computed again', events: vectors.map(eventOf) };
};

const reconfiguration = ({ before, after, changes }: About, { scope, knowledgeBase }: SearchHit): Cause | undefined => {
  const [was, is] = [before.languages.get(knowledgeBase), after.languages.get(knowledgeBase)];
  if (was !== undefined && is !== undefined && was !== is)
    return {
      kind: 'reconfigured',
      detail: `the knowledge base ${knowledgeBase} has the language ${is} instead of ${was}`,
      events: changes.configured.get(knowledgeBase) ?? [],
    };
  if (JSON.stringify(before.synonyms) !== JSON.stringify(after.synonyms))
    return {
      kind: 'reconfigured',
      detail: 'words of the query have other synonyms',
      events: distinct([...changes.configured.values()].flat()),
    };
  const { reranked: ranked } = before;
  const { reranked: ranks } = after;
  if (ranked && ranks && (ranked.reranker !== ranks.reranker || ranked.outcome !== ranks.outcome || ranked.weight !== ranks.weight))
    return { kind: 'reconfigured', detail: rerankedOtherwise(ranked, ranks), events: [] };
  const [heavier, lighter] = [before.weights.get(scope), after.weights.get(scope)];
  if (heavier === undefined || lighter === undefined || heavier === lighter) return undefined;
  return { kind: 'reconfigured', detail: `vectors of ${scope} have the weight ${lighter} instead of ${heavier}`, events: [] };
};

/** Chunks that are above it on one side only. */
const passedBy = ({ before, after }: About, chunk: ChunkId): readonly ChunkId[] => {
  const [above, aboveNow] = [aboveIt(before, chunk), aboveIt(after, chunk)];
  return [...[...above].filter((one) => !aboveNow.has(one)), ...[...aboveNow].filter((one) => !above.has(one))];
};

/** If it is no candidate, all hits are above it. */
const aboveIt = ({ ranks, hits }: Side, chunk: ChunkId): ReadonlySet<ChunkId> => {
  const rank = ranks.get(chunk);
  if (rank === undefined) return new Set(hits.map(({ chunkId }) => chunkId));
  return new Set([...ranks].filter(([, other]) => other < rank).map(([id]) => id));
};

const statistics = ({ before, after, changes }: About): Cause => {
  const all = [...changes.documents.values()].flat();
  const hasWords = (chunk: ChunkId): boolean => before.words.has(chunk) || after.words.has(chunk);
  const withWords = all.filter(({ written, removed }) => [...written].some(hasWords) || [...removed].some(hasWords));
  return withWords.length > 0
    ? { kind: 'statistics', detail: 'words of the query became rarer or more frequent', events: distinct(withWords) }
    : { kind: 'statistics', detail: 'scores are spread otherwise, since other documents came or went', events: distinct(all) };
};

const distinct = (events: readonly CausingEvent[]): readonly CausingEvent[] => {
  const byPosition = new Map(events.map((event) => [event.position, eventOf(event)]));
  return [...byPosition.values()].sort((a, b) => (a.position < b.position ? -1 : 1));
};

const eventOf = ({ position, type, at }: CausingEvent): CausingEvent => ({ position, type, at });
