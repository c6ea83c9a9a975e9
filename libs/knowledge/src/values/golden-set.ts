import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { LENGTHS, PATTERNS } from './value-limits.ts';

/** Names a golden set in paths and commands. Unique within the scope. */
export type GoldenSetName = Branded<string, 'GoldenSetName'>;

/** Limits of golden sets. `queryBytes`, `setBytes` and `scopeBytes` count the queries as they are stored, as JSON. */
export const GOLDEN_LIMITS = {
  sets: 100,
  queries: 10_000,
  judgements: 1_000,
  grade: 1_000,
  queryBytes: 256 * 1024,
  setBytes: 16 * 1024 * 1024,
  scopeBytes: 64 * 1024 * 1024,
} as const;

const NAME = new RegExp(PATTERNS.goldenSetName);
const QUERY_ID = new RegExp(`^[^\\u0000-\\u0020\\u007f\\ud800-\\udfff]{1,${LENGTHS.goldenQueryId}}$`, 'u');

/** @throws InvalidValue */
export const goldenSetName = (raw: unknown, field = 'set'): GoldenSetName => {
  if (typeof raw !== 'string' || !NAME.test(raw))
    throw new InvalidValue(
      field,
      `1-${LENGTHS.goldenSetName} characters of a-z, 0-9, "-", "_", ".", starting and ending with a letter or digit`,
      raw,
    );
  return raw as GoldenSetName;
};

/** Without spaces and tabs, so that files of judgements can name it in a column. @throws InvalidValue */
export const goldenQueryId = (raw: unknown, field = 'id'): string => {
  if (typeof raw !== 'string' || !QUERY_ID.test(raw))
    throw new InvalidValue(field, `1-${LENGTHS.goldenQueryId} characters without spaces and control characters`, raw);
  return raw;
};
