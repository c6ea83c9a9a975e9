import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { PATTERNS } from './value-limits.ts';

/**
 * A place in the global order of the event log: a bigint in memory, a decimal string on the wire. Positions can only be compared.
 * They are sparse in some logs, so never compute one from another.
 */
export type Position = Branded<bigint, 'Position'>;

/** The position before the first event. */
export const START = 0n as Position;

const FORMAT = new RegExp(PATTERNS.position);

/** @throws InvalidValue */
export const position = (raw: unknown, field = 'position'): Position => {
  if (typeof raw === 'bigint' && raw >= 0n) return raw as Position;
  if (typeof raw === 'string' && FORMAT.test(raw)) return BigInt(raw) as Position;
  throw new InvalidValue(field, 'a position: a decimal string that an earlier response returned', raw);
};

export const laterOf = (a: Position, b: Position): Position => (a > b ? a : b);
export const earlierOf = (a: Position, b: Position): Position => (a < b ? a : b);
