import type { Position } from '@palimpsest/knowledge/values';

/**
 * Why a hit is there, not there, or at another rank. `indexed`, `reindexed`, `deleted`: its document. `reembedded`: its vector.
 * `competitor`: other passages came or went above it. `statistics`: words became rarer or more frequent, or scores spread otherwise.
 * `cutOver`: another generation serves its scope. `reconfigured`: the language of its knowledge base, or the weight of the model.
 * `request`: the comparison asks otherwise.
 */
export const CAUSES = [
  'indexed',
  'reindexed',
  'deleted',
  'reembedded',
  'competitor',
  'statistics',
  'cutOver',
  'reconfigured',
  'request',
] as const;
export type CauseKind = (typeof CAUSES)[number];

/** An event that caused a change. `at`: ISO 8601 in UTC. */
export type CausingEvent = Readonly<{ position: Position; type: string; at: string }>;
/** `detail`: a sentence for people. */
export type Cause = Readonly<{ kind: CauseKind; detail: string; events: readonly CausingEvent[] }>;
