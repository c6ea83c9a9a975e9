import { isUtf8 } from 'node:buffer';

/** The fault of an invalid text, in a form that can be sent between threads. */
export type JsonFault = Readonly<{ expected: string; got: string | undefined }>;
export type ParsedJson = Readonly<{ value: unknown }> | Readonly<{ fault: JsonFault }>;

const fault = (expected: string, got?: string): ParsedJson => ({ fault: { expected, got } });

/** `names`: the number of names in the objects of the text, including duplicates. */
export const parseJson = (bytes: Uint8Array, names: number): ParsedJson => {
  if (bytes.length === 0) return fault('valid JSON', 'an empty body');
  if (!isUtf8(bytes)) return fault('JSON in UTF-8', 'other bytes');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as unknown;
  } catch {
    return fault('valid JSON');
  }
  const kept = namesIn(value);
  if (kept === undefined) return fault('no field "__proto__"', '__proto__');
  // Readers differ in which value of a duplicate name they take.
  return kept < names ? fault('each name once in an object', 'a name twice') : { value };
};

/** Number of names in the objects of a value; undefined if a name is `__proto__`, which would set a prototype when it is copied. */
const namesIn = (value: unknown): number | undefined => {
  if (typeof value !== 'object' || value === null) return 0;
  if (Object.hasOwn(value, '__proto__')) return undefined;
  const values: readonly unknown[] = Object.values(value);
  let names = Array.isArray(value) ? 0 : values.length;
  for (const each of values) {
    const inner = namesIn(each);
    if (inner === undefined) return undefined;
    names += inner;
  }
  return names;
};
