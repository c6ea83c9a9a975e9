import type { Downgrade } from '@palimpsest/knowledge/limits';
import type { Position } from '@palimpsest/knowledge/values';
import type { SearchHit } from '../pipeline/search-hit.ts';
import type { Timings } from '../pipeline/stage-run.ts';

export type SearchAnswer = Readonly<{
  hits: readonly SearchHit[];
  /** The read models reflected at least this position when the search began. */
  position: Position;
  traceId: string;
  /** Only if the tenant may not use the requested strategy. */
  downgraded?: Downgrade;
  timings: Timings;
}>;
