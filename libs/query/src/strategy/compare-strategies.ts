import { gateLatency, GATE_MEASURE, measureNamed, type JudgedQuery } from '@palimpsest/evaluation';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { StrategyInUse } from '@palimpsest/knowledge/evaluation';
import type { Views } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, Position } from '@palimpsest/knowledge/values';
import type { Reranking } from '../pipeline/reranking.ts';
import { runSearch, type Searched } from '../pipeline/run-search.ts';
import type { SearchStages } from '../pipeline/search-stages.ts';
import { searchRequest } from '../search/search-request.ts';
import type { System } from '@palimpsest/foundation';

/** One query with both strategies: nDCG@10, and milliseconds of the whole search. `reranked`: what the reranker of the second one did. */
type Outcome = Readonly<{
  before: number;
  after: number;
  ms: readonly [number, number];
  position: Position;
  reranked?: Reranking['outcome'];
}>;

export type Compared = Readonly<{ outcomes: readonly Outcome[]; unsettled: number }>;

type Ports = Readonly<{ views: Views; stages: SearchStages; system: System }>;
type Where = Readonly<{ access: Access; scope: PermittedScope; knowledgeBase: KnowledgeBaseId }>;

const ATTEMPTS = 5;
const measure = measureNamed(GATE_MEASURE);

/**
 * Searches a knowledge base for each query with both strategies, as a caller would who names nothing else, at one position of the log. It
 * writes no record and counts for no quota.
 */
export const compareStrategies = async (
  ports: Ports,
  where: Where,
  { before, after }: Readonly<{ before: StrategyInUse; after: StrategyInUse }>,
  queries: readonly JudgedQuery<DocumentId>[],
  signal: AbortSignal,
): Promise<Compared> => {
  const outcomes: Outcome[] = [];
  for (const [i, { text, relevant }] of queries.entries()) {
    const search = ({ strategy }: StrategyInUse) => {
      signal.throwIfAborted();
      const request = searchRequest({ query: text, strategy, knowledgeBases: [where.knowledgeBase], scopes: [where.scope.scope] });
      return runSearch(ports.stages, { request, access: where.access, view: ports.views.live() }, ports.system);
    };
    // Each strategy is first as often as the other, so that neither gains from warm memory.
    const found = await atOnePosition(async () => {
      const first = await search(i % 2 === 0 ? before : after);
      const second = await search(i % 2 === 0 ? after : before);
      return i % 2 === 0 ? [first, second] : [second, first];
    });
    if (found === undefined) continue;
    const [ofBefore, ofAfter] = found;
    outcomes.push({
      before: valueOf(ofBefore, relevant),
      after: valueOf(ofAfter, relevant),
      ms: [ofBefore.timings.totalMs, ofAfter.timings.totalMs],
      position: ofAfter.position,
      ...(ofAfter.reranked ? { reranked: ofAfter.reranked.outcome } : {}),
    });
  }
  return { outcomes, unsettled: queries.length - outcomes.length };
};

/** Undefined if documents were indexed between the two searches of each attempt. */
const atOnePosition = async (
  search: () => Promise<readonly [Searched, Searched] | readonly Searched[]>,
): Promise<readonly [Searched, Searched] | undefined> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [before, after] = await search();
    if (before && after && before.position === after.position) return [before, after];
  }
  return undefined;
};

/** Of the documents in the order of their best passages. */
const valueOf = ({ hits }: Searched, relevant: ReadonlyMap<DocumentId, number>): number =>
  measure.of([...new Set(hits.map(({ documentId }) => documentId))], new Map<string, number>(relevant));

/** Of both strategies. Undefined without an outcome. */
export const latencyOf = ({ outcomes }: Compared) => {
  const [before, after] = ([0, 1] as const).map((side) => gateLatency(outcomes.map(({ ms }) => ms[side])));
  return before && after && { before, after };
};

/** Number of searches by what the reranker did. */
export const rerankedIn = ({ outcomes }: Compared): Readonly<Record<Reranking['outcome'], number>> => {
  const count = (outcome: Reranking['outcome']): number => outcomes.filter(({ reranked }) => reranked === outcome).length;
  return { blended: count('blended'), abstained: count('abstained'), skipped: count('skipped') };
};
