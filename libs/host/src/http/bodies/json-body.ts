import type { Readable } from 'node:stream';
import { InvalidValue } from '@palimpsest/knowledge';
import { TooLarge } from '@palimpsest/runtime';
import { JsonScan } from './json-scan.ts';
import { JsonThread } from './json-thread.ts';
import { parseJson } from './parse-json.ts';

/** Up to here parsing takes less than handing it to another thread. */
const SMALL_BYTES = 256 * 1024;

const thread = new JsonThread();

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
  const whole = Buffer.concat(parts);
  const parsed = bytes <= SMALL_BYTES ? parseJson(whole, scan.names) : await thread.parse(whole, scan.names);
  if ('fault' in parsed) throw new InvalidValue('body', parsed.fault.expected, parsed.fault.got);
  return parsed.value;
};
