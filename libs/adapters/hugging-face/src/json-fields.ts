/** The parsed content of a JSON file that other people wrote. */
export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first of these fields with a whole number from 1. */
export const wholeIn = (json: Json | undefined, ...fields: readonly string[]): number | undefined => {
  for (const field of fields) {
    const value = json?.[field];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  }
  return undefined;
};

/** The first of these fields with a text that is not empty. */
export const textIn = (json: Json | undefined, ...fields: readonly string[]): string | undefined => {
  for (const field of fields) {
    const value = json?.[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
};
