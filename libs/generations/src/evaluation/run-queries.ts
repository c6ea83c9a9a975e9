import { embedQuery } from '@palimpsest/contracts';
import {
  GATE_MEASURE,
  measureNamed,
  overlap,
  rankBiasedOverlap,
  rankByScore,
  scoreShift,
  type JudgedQuery as Judged,
  type Ranking,
} from '@palimpsest/evaluation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { Embedder } from '@palimpsest/knowledge/ports';
import { chunkListOf, type DocumentId } from '@palimpsest/knowledge/values';
import type { PastQuery } from './past-queries.ts';
import type { SearchSides, Side } from './search-sides.ts';
import type { EvaluationWork } from './evaluation-runs.ts';
import type { SelfQuery } from './self-queries.ts';

type JudgedQuery = Judged<DocumentId>;

/** A query with the grades of the documents that answer it, and what names it. A past query has no grades. */
export type EvaluationQuery = Readonly<{ text: string; relevant: ReadonlyMap<DocumentId, number> }> &
  Readonly<{ source: 'golden'; of: JudgedQuery } | { source: 'self'; of: SelfQuery } | { source: 'past'; of: PastQuery }>;

export type QueryOutcome = Readonly<{
  query: EvaluationQuery;
  /** nDCG@10 on both sides, and the documents that were found, best first. */
  before: number;
  after: number;
  rankings: Readonly<{ before: Ranking; after: Ranking }>;
  /** Scores of these documents, the best first. */
  scores: Readonly<{ before: readonly number[]; after: readonly number[] }>;
  overlap: number;
  rbo: number;
  scoreShift: number | undefined;
  /** The mean of after - before over the ranks of documents that both sides found. */
  rankShift: number | undefined;
  ms: readonly [number, number];
  position: bigint;
}>;

export type Models = Readonly<{ before: Embedder; after: Embedder }>;
export type Generations = Readonly<{ before: Generation; after: Generation }>;

const DEPTH = 10;
const measure = measureNamed(GATE_MEASURE);

export const judged = (of: JudgedQuery): EvaluationQuery => ({ source: 'golden', of, text: of.text, relevant: of.relevant });
export const own = (of: SelfQuery): EvaluationQuery => ({ source: 'self', of, text: of.text, relevant: new Map([[of.documentId, 1]]) });
export const asked = (of: PastQuery): EvaluationQuery => ({ source: 'past', of, text: of.text, relevant: new Map() });

/** `unsettled`: queries whose sides could not be searched at one position. `refused`: past queries that a model does not accept. */
export type Asked = Readonly<{ outcomes: readonly QueryOutcome[]; unsettled: number; refused: number }>;

/** Asks each query on both sides, one after the other. */
export const runQueries = async (
  { search, elapsed, progress }: Readonly<{ search: SearchSides; elapsed: () => number; progress: EvaluationWork['progress'] }>,
  scope: PermittedScope,
  generations: Generations,
  models: Models,
  queries: readonly EvaluationQuery[],
  signal: AbortSignal,
): Promise<Asked> => {
  const outcomes: QueryOutcome[] = [];
  let refused = 0;
  const embedded = async (model: Embedder, text: string) => {
    const started = elapsed();
    const vector = await embedQuery(model, text, signal);
    return { vector, ms: elapsed() - started };
  };
  const onBothSides = async ({ source, text }: EvaluationQuery, inOrder: boolean) => {
    try {
      const first = await embedded(inOrder ? models.before : models.after, text);
      const second = await embedded(inOrder ? models.after : models.before, text);
      return inOrder ? ([first, second] as const) : ([second, first] as const);
    } catch (error) {
      // Callers may ask anything: a text that a model refuses must not end the evaluation.
      if (source === 'past' && error instanceof InvalidValue) return undefined;
      throw error;
    }
  };
  for (const [i, query] of queries.entries()) {
    signal.throwIfAborted();
    progress(i, queries.length);
    const sides = await onBothSides(query, i % 2 === 0);
    if (!sides) {
      refused++;
      continue;
    }
    const [before, after] = sides;
    const found = await search.both(
      scope,
      { ...sideOf(generations.before), vector: before.vector },
      { ...sideOf(generations.after), vector: after.vector },
    );
    if (!found) continue;
    const rankings = { before: rankByScore(found.before), after: rankByScore(found.after) };
    const judgements = new Map<string, number>(query.relevant);
    const scoresOf = (documents: readonly Readonly<{ score: number }>[]) => documents.map(({ score }) => score).sort((a, b) => b - a);
    const scores = { before: scoresOf(found.before), after: scoresOf(found.after) };
    outcomes.push({
      query,
      rankings,
      scores,
      before: measure.of(rankings.before, judgements),
      after: measure.of(rankings.after, judgements),
      overlap: overlap(rankings.before, rankings.after, DEPTH),
      rbo: rankBiasedOverlap(rankings.before, rankings.after),
      scoreShift: scoreShift(scores.before, scores.after),
      rankShift: rankShift(rankings.before, rankings.after),
      ms: [before.ms + found.ms[0], after.ms + found.ms[1]],
      position: found.position,
    });
  }
  progress(queries.length, queries.length);
  return { outcomes, unsettled: queries.length - outcomes.length - refused, refused };
};

const sideOf = ({ id: generation, recipe }: Generation): Omit<Side, 'vector'> => ({ generation, list: chunkListOf(recipe.chunking) });

const rankShift = (before: Ranking, after: Ranking): number | undefined => {
  const shifts = before.flatMap((id, rank) => {
    const now = after.indexOf(id);
    return now < 0 ? [] : [now - rank];
  });
  return shifts.length === 0 ? undefined : shifts.reduce((sum, shift) => sum + shift, 0) / shifts.length;
};
