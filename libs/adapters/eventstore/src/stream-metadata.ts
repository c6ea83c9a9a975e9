import type { JsonObject } from '@palimpsest/knowledge/ports';

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
/** Available since V8 11.4; not yet in TypeScript's library. */
const exact = JSON as unknown as { parse(text: string, reviver: Reviver): unknown; rawJSON(text: string): unknown };

/**
 * Parses the JSON of a stream's metadata so that it can be written again: numbers too large for JavaScript keep their digits. The
 * mark of a soft delete is 2^63 - 1. Rounded, it exceeds the range of the server, which ignores metadata with an invalid value.
 */
export const parseStreamMetadata = (text: string): JsonObject => {
  const keep: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value;
  return exact.parse(text, keep) as JsonObject;
};
