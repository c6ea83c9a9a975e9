import { isUtf8 } from 'node:buffer';

/** What is wrong with a text, as far as it can be sent between threads. */
export type JsonFault = Readonly<{ expected: string; got: string | undefined }>;
export type ParsedJson = Readonly<{ value: unknown }> | Readonly<{ fault: JsonFault }>;

const fault = (expected: string, got?: string): ParsedJson => ({ fault: { expected, got } });

/** `names`: how many the objects of the text have, doubled ones too. */
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
  // Of two values of one name each reader takes another one.
  return kept < names ? fault('each name once in an object', 'a name twice') : { value };
};

/** How many names its objects have; undefined where one of them would become a prototype when it is copied. */
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
