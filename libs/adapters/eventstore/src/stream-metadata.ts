import type { JsonObject } from '@palimpsest/knowledge';

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
/** Since V8 11.4; not yet in TypeScript's own library. */
const exact = JSON as unknown as { parse(text: string, reviver: Reviver): unknown; rawJSON(text: string): unknown };

/**
 * The JSON of a stream's metadata, to be written again: numbers too large for JavaScript stay what they were. The mark of a
 * soft delete is 2^63 - 1; a rounded one is more than the server can take, and metadata with one bad value counts for nothing.
 */
export const parseStreamMetadata = (text: string): JsonObject => {
  const keep: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value;
  return exact.parse(text, keep) as JsonObject;
};
