import type { Downgrade, Position } from '@palimpsest/knowledge';
import type { SearchHit } from './search-hit.ts';
import type { StageTiming } from './stages.ts';

export type SearchAnswer = Readonly<{
  hits: readonly SearchHit[];
  /** What the read models reflected when the search began, at least. */
  position: Position;
  traceId: string;
  /** Only where the tenant may not use the strategy that was asked for. */
  downgraded?: Downgrade;
  timings: Readonly<{ totalMs: number; stages: readonly StageTiming[] }>;
}>;
