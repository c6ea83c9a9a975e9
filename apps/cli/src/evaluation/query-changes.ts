import { rankByScore } from '@palimpsest/evaluation';
import type { DocumentExplanation } from './explanations.ts';
import type { QueryJudgements } from './judgements-file.ts';
import type { NamedRun } from './named-run.ts';

/** Where a run has a document, and why, if the run is explained. */
export type Place = Readonly<{ rank: number; score: number; explain?: DocumentExplanation }>;

/** A judged document whose rank differs. A side is missing if its run does not have the document. */
export type DocumentChange = Readonly<{ document: string; grade: number; before?: Place; after?: Place }>;

export type QueryChanges = Readonly<{
  /** Known if a run is explained. */
  text?: string;
  /** Those that changed the gain by rank most come first; at most ten. */
  documents: readonly DocumentChange[];
  moreDocuments: number;
}>;

const SHOWN = 10;

/** Which judged documents have another rank for a query in one run than in the other. */
export const changesOf = (query: string, { grades }: QueryJudgements, before: NamedRun, after: NamedRun): QueryChanges => {
  const [first, second] = [placesIn(before, query), placesIn(after, query)];
  const changed = [...grades]
    .map(([document, grade]) => ({ document, grade, before: first.get(document), after: second.get(document) }))
    .filter((each) => each.before?.rank !== each.after?.rank)
    .sort((a, b) => effectOf(b) - effectOf(a) || bestRankOf(a) - bestRankOf(b));
  const text = (before.explanations?.get(query) ?? after.explanations?.get(query))?.text;
  return {
    ...(text === undefined ? {} : { text }),
    documents: changed.slice(0, SHOWN).map(({ document, grade, ...sides }) => ({
      ...{ document, grade },
      ...(sides.before && { before: sides.before }),
      ...(sides.after && { after: sides.after }),
    })),
    moreDocuments: Math.max(0, changed.length - SHOWN),
  };
};

type Change = Readonly<{ grade: number; before: Place | undefined; after: Place | undefined }>;

/** How far the gain of the document, discounted by its rank as for nDCG, is apart. */
const effectOf = ({ grade, before, after }: Change): number => Math.abs(gainAt(grade, before) - gainAt(grade, after));
const gainAt = (grade: number, place: Place | undefined): number =>
  place === undefined ? 0 : Math.max(0, grade) / Math.log2(place.rank + 1);
const bestRankOf = ({ before, after }: Change): number => Math.min(before?.rank ?? Infinity, after?.rank ?? Infinity);

const placesIn = ({ run, explanations }: NamedRun, query: string): ReadonlyMap<string, Place> => {
  const documents = run.get(query) ?? [];
  const scores = new Map(documents.map(({ id, score }) => [id, score]));
  const explained = explanations?.get(query)?.documents;
  return new Map(
    rankByScore(documents).map((id, index) => {
      const explain = explained?.get(id);
      return [id, { rank: index + 1, score: scores.get(id) ?? 0, ...(explain && { explain }) }];
    }),
  );
};
