import type { EvaluationView } from '@palimpsest/contracts/views';

type Floors = NonNullable<EvaluationView['scoreFloors']>;

/** A row for people: the `minScore` with the old model, the one with the new model, and the share of results that both keep. */
export type FloorRow = Readonly<{ before: string; after: string; kept: string; isRough: boolean }>;
export type DescribedFloors = Readonly<{ basis: string; rows: readonly FloorRow[]; note?: string }>;

/** With fewer results on one side of a floor, other queries may give quite another one. */
const ROUGH_BELOW = 50;

/** What the score floors of an evaluation say, for the command line, its report and the console. Undefined if there are none. */
export const describeFloors = (scoreFloors: Floors | undefined): DescribedFloors | undefined => {
  if (scoreFloors === undefined || scoreFloors.floors.length === 0) return undefined;
  const { basis, queries, floors } = scoreFloors;
  const rows = floors.map(({ before, after, share, results }) => ({
    before: before.toFixed(2),
    after: after.toFixed(3),
    kept: `${(100 * share).toFixed(1)} %`,
    isRough: results !== undefined && results < ROUGH_BELOW,
  }));
  const rough = rows.some(({ isRough }) => isRough);
  return {
    basis: `${queries} ${basis === 'people' ? 'queries of people' : 'passages of the scope as queries'}`,
    rows,
    ...(rough ? { note: `Rough: the floor keeps, or leaves out, fewer than ${ROUGH_BELOW} results.` } : {}),
  };
};
