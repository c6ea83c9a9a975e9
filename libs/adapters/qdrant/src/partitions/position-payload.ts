import type { Schemas } from '@qdrant/js-client-rest';
import { position, START, type Position } from '@palimpsest/knowledge/values';

/** A position in a payload, in two halves: Qdrant compares numbers as float64, which is exact only up to 2^53. */
export type PositionPayload = Readonly<{ at_high: number; at_low: number }>;

const HALF = 32n;
const LOW = 0xffff_ffffn;

export const positionPayload = (at: Position): PositionPayload => ({ at_high: Number(at >> HALF), at_low: Number(at & LOW) });

export const positionIn = (payload: Readonly<Record<string, unknown>> | null | undefined): Position => {
  const { at_high: high, at_low: low } = payload ?? {};
  return typeof high === 'number' && typeof low === 'number' ? position((BigInt(high) << HALF) | BigInt(low)) : START;
};

/** Points stored at or before the position: the condition of every write, so that an older one never overwrites a newer one. */
export const notAfter = (at: Position): Schemas['Filter'] => {
  const { at_high: high, at_low: low } = positionPayload(at);
  const sameHalf = {
    must: [
      { key: 'at_high', range: { gte: high, lte: high } },
      { key: 'at_low', range: { lte: low } },
    ],
  };
  return { should: [{ key: 'at_high', range: { lt: high } }, sameHalf] };
};
