import type { Readable } from 'node:stream';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { TooLarge } from '../problems/http-errors.ts';
import { JsonScan } from './json-scan.ts';
import { JsonThread } from './json-thread.ts';
import { parseJson } from './parse-json.ts';

/** Up to this size, parsing takes less time than a transfer to another thread. */
const SMALL_BYTES = 256 * 1024;

const thread = new JsonThread();

/** Reads a JSON body of at most `maxBytes`. @throws InvalidValue, TooLarge */
export const readJson = async (body: Readable, maxBytes: number): Promise<unknown> => {
  const parts: Buffer[] = [];
  const scan = new JsonScan();
  let bytes = 0;
  // The body is not destroyed on an error: the response still has to be sent over its connection.
  for await (const part of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) throw new TooLarge('the body', maxBytes);
    scan.add(part);
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  const parsed = bytes <= SMALL_BYTES ? parseJson(whole, scan.names) : await thread.parse(whole, scan.names);
  if ('fault' in parsed) throw new InvalidValue('body', parsed.fault.expected, parsed.fault.got);
  return parsed.value;
};
