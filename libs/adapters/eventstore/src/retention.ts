import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { JsonObject } from '@palimpsest/knowledge/ports';
import { randomUUID } from 'node:crypto';
import type { Appender } from './appender.ts';

const MAX_AGE = '$maxAge';
const MAX_SECONDS = 2 ** 31 - 1;

/** The metadata of a stream, and the revision of the event that holds it; -1 for none. */
export type StreamMetadata = Readonly<{ revision: number; metadata: JsonObject }>;

/**
 * Sets or removes `$maxAge` and keeps the rest of the stream's metadata: access rules, and the mark of a soft delete.
 * @throws InvalidValue
 */
export const setMaxAge = async (
  stream: string,
  maxAgeSeconds: number | undefined,
  read: () => Promise<StreamMetadata>,
  append: Appender['send'],
): Promise<void> => {
  const valid = maxAgeSeconds === undefined || (Number.isInteger(maxAgeSeconds) && maxAgeSeconds > 0 && maxAgeSeconds <= MAX_SECONDS);
  if (!valid) throw new InvalidValue('maxAgeSeconds', `whole seconds from 1 to ${MAX_SECONDS}, or undefined`, maxAgeSeconds);
  for (;;) {
    const { revision, metadata } = await read();
    const { [MAX_AGE]: now, ...rest } = metadata;
    if (now === maxAgeSeconds) return;
    const wanted = maxAgeSeconds === undefined ? rest : { ...rest, [MAX_AGE]: maxAgeSeconds };
    const event = { id: randomUUID(), type: '$metadata', json: true, data: Buffer.from(JSON.stringify(wanted)), metadata: Buffer.alloc(0) };
    const answer = await append({ stream: `$$${stream}`, events: [event], expected: revision });
    if (answer.outcome === 'appended') return;
  }
};
