import { InvalidValue } from '../errors.ts';
import { PATTERNS } from './value-limits.ts';
import { position, type Position } from './position.ts';

/** A moment in the past: a position on the log, or a time (ISO 8601 in UTC, milliseconds). The time stands for the last event until then. */
export type AsOf = Readonly<{ position: Position }> | Readonly<{ time: string }>;

const EXPECTED = 'a position that an earlier response returned, or a time with its offset from UTC, like 2026-11-20T09:30:00Z';
const POSITION = new RegExp(PATTERNS.position);
const TIME = new RegExp(PATTERNS.time);
/** One more than the largest position of any log. */
const END = 1n << 63n;

/** @throws InvalidValue */
export const asOf = (raw: unknown, field = 'asOf'): AsOf => {
  if (typeof raw === 'string' && POSITION.test(raw) && BigInt(raw) < END) return { position: position(raw, field) };
  const time = typeof raw === 'string' && TIME.test(raw) && isDay(raw) ? new Date(raw.toUpperCase()) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) throw new InvalidValue(field, EXPECTED, raw);
  return { time: time.toISOString() };
};

/** As a caller writes it. */
export const asOfText = (at: AsOf): string => ('time' in at ? at.time : String(at.position));

/** `Date` takes 30 February for 2 March. */
const isDay = (raw: string): boolean => {
  const [year, month, day] = raw.slice(0, 10).split('-').map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};
