import type { ReplayCause } from '@palimpsest/contracts/http';
import type { Position } from '@palimpsest/knowledge/values';

/** An event that caused a change. `at`: ISO 8601 in UTC. */
export type CausingEvent = Readonly<{ position: Position; type: string; at: string }>;
/** Why a hit is there, not there, or at another rank. The contract describes each kind. `detail`: a sentence for people. */
export type Cause = Readonly<{ kind: ReplayCause['kind']; detail: string; events: readonly CausingEvent[] }>;
