import type { DocumentExplanation } from './explanations.ts';
import type { DocumentChange } from './query-changes.ts';

type StagePlace = DocumentExplanation['stages'][string];

/** The rank and score of a document in one stage of the search, on each side that has the stage and the document. */
export type StageChange = Readonly<{ stage: string; before?: StagePlace | undefined; after?: StagePlace | undefined }>;

/** What each stage did with a document on both sides, in the order of the side with more stages. */
export const stageChanges = ({ before, after }: DocumentChange): readonly StageChange[] => {
  const [first, second] = [before?.explain?.stages ?? {}, after?.explain?.stages ?? {}];
  const [longer, shorter] = [first, second].map(Object.keys).toSorted((a, b) => b.length - a.length);
  return [...new Set([...(longer ?? []), ...(shorter ?? [])])].map((stage) => ({ stage, before: first[stage], after: second[stage] }));
};
