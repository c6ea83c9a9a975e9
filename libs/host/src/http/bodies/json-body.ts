import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { InvalidValue } from '@palimpsest/knowledge';
import { TooLarge } from '@palimpsest/runtime';
import { JsonScan } from './json-scan.ts';

/** Reads a JSON body, of so many bytes at most. @throws InvalidValue, TooLarge */
export const readJson = async (body: Readable, mostBytes: number): Promise<unknown> => {
  const parts: Buffer[] = [];
  const scan = new JsonScan();
  let bytes = 0;
  // Not destroyed where it is given up: its connection still has to carry the answer.
  for await (const part of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) throw new TooLarge('the body', mostBytes);
    scan.add(part);
    parts.push(part);
  }
  return parsed(Buffer.concat(parts), scan);
};

const parsed = (bytes: Buffer, scan: JsonScan): unknown => {
  if (bytes.length === 0) throw new InvalidValue('body', 'valid JSON', 'an empty body');
  if (!isUtf8(bytes)) throw new InvalidValue('body', 'JSON in UTF-8', 'other bytes');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new InvalidValue('body', 'valid JSON', undefined);
  }
  const names = namesIn(value);
  // Of two values of one name each reader takes another one.
  if (names < scan.names) throw new InvalidValue('body', 'each name once in an object', 'a name twice');
  return value;
};

/** How many names its objects have. @throws InvalidValue where one of them would become a prototype when it is copied */
const namesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) for (const each of value) names += namesIn(each);
  else {
    if (Object.hasOwn(value, '__proto__')) throw new InvalidValue('body', 'no field "__proto__"', '__proto__');
    for (const each of Object.values(value)) names += 1 + namesIn(each);
  }
  return names;
};
