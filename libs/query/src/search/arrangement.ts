import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { Terms } from './terms.ts';

/** What a search does with its candidates after it has ranked them; recorded, so that a replay does the same. */
export type Arrangement = NonNullable<RetrievalRecordData['arrangement']>;
/** A search for phrases leaves out hits, as some arrangements do. */
type Leaving = Arrangement & Readonly<{ terms?: Terms }>;
type Arranged = Leaving & Readonly<{ topK: number }>;

/** Passages of a document that are kept, unless the request says how many. */
export const PER_GROUP = 3;

/** Passages on each side of a result, unless the request says how many. */
export const NEIGHBOURS = 1;

/** Whether a stage after fusion may leave out hits, so that others have to move up. */
export const leavesOut = ({ collapse, groupBy, terms }: Leaving): boolean =>
  collapse === true || groupBy !== undefined || (terms?.phrases ?? []).length > 0;

/** Number of the best hits among which `diversity` chooses. */
export const considered = ({ topK }: Pick<Arranged, 'topK'>): number => Math.max(50, 3 * topK);

/** Number of ranked hits whose texts the stages after fusion need. */
export const textsFor = (request: Arranged): number => {
  if (leavesOut(request)) return Infinity;
  return (request.diversity ?? 0) > 0 ? considered(request) : request.topK;
};

/** @throws InvalidValue if the size of groups is given without groups, or a number of neighbours without them */
export const checkedArrangement = <Given extends Arrangement>(given: Given): Given => {
  if (given.perGroup !== undefined && given.groupBy === undefined)
    throw new InvalidValue('perGroup', 'only together with groupBy', given.perGroup);
  if (given.neighbours !== undefined && given.expand !== 'neighbours')
    throw new InvalidValue('neighbours', 'only together with expand: "neighbours"', given.neighbours);
  return given;
};

/** What the record of a search says about its arrangement: nothing if it has none. */
export const recordedArrangement = ({
  collapse,
  groupBy,
  perGroup,
  diversity = 0,
  expand,
  neighbours,
}: Arrangement): Readonly<{ arrangement?: Arrangement }> => {
  const arrangement: Arrangement = {
    ...(collapse === true ? { collapse } : {}),
    ...(groupBy === undefined ? {} : { groupBy, perGroup: perGroup ?? PER_GROUP }),
    ...(diversity === 0 ? {} : { diversity }),
    ...(expand === undefined ? {} : { expand }),
    ...(expand === 'neighbours' ? { neighbours: neighbours ?? NEIGHBOURS } : {}),
  };
  return Object.keys(arrangement).length === 0 ? {} : { arrangement };
};
