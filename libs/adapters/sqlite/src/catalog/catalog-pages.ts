import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ListPage } from '@palimpsest/knowledge/read-models';
import type { Row } from './catalog-rows.ts';

/** Returns the first `limit` rows as one page. The caller reads one row more than `limit`: it shows whether there is a next page. */
export const page = <T>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => T,
  cursorOf: (row: Row) => [string, string],
): ListPage<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(view),
    ...(rows.length > limit && last ? { next: Buffer.from(JSON.stringify(cursorOf(last))).toString('base64url') } : {}),
  };
};

/** @throws InvalidValue */
export const readCursor = (cursor: string): [string, string] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed) && parsed.length === 2 && parsed.every((part) => typeof part === 'string')) return parsed as [string, string];
  } catch {
    // Falls through to the common error for invalid cursors.
  }
  throw invalidCursor(cursor);
};

export const invalidCursor = (cursor: string | undefined): InvalidValue =>
  new InvalidValue('cursor', 'the "next" value of an earlier response', cursor);
