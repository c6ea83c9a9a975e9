import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { JsonObject } from '@palimpsest/knowledge/ports';
import { randomUUID } from 'node:crypto';
import type { Appender } from './appender.ts';

const MAX_AGE = '$maxAge';
const TRUNCATE_BEFORE = '$tb';
const MAX_SECONDS = 2 ** 31 - 1;

/** The metadata of a stream, and the revision of the event that holds it; -1 for none. */
export type StreamMetadata = Readonly<{ revision: number; metadata: JsonObject }>;

/** The server, for the metadata of one stream. `stream`: its name on the server. */
export type MetadataOf = Readonly<{ stream: string; read: () => Promise<StreamMetadata>; append: Appender['send'] }>;

/** Sets or removes `$maxAge`. @throws InvalidValue */
export const setMaxAge = async (of: MetadataOf, maxAgeSeconds: number | undefined): Promise<void> => {
  const valid = maxAgeSeconds === undefined || (Number.isInteger(maxAgeSeconds) && maxAgeSeconds > 0 && maxAgeSeconds <= MAX_SECONDS);
  if (!valid) throw new InvalidValue('maxAgeSeconds', `whole seconds from 1 to ${MAX_SECONDS}, or undefined`, maxAgeSeconds);
  await changeMetadata(of, ({ [MAX_AGE]: now, ...rest }) => {
    if (now === maxAgeSeconds) return undefined;
    return maxAgeSeconds === undefined ? rest : { ...rest, [MAX_AGE]: maxAgeSeconds };
  });
};

/** Sets `$tb`, unless it is already as high: readers get no events with a lower revision, and a scavenge removes them. */
export const setTruncateBefore = (of: MetadataOf, before: number): Promise<void> =>
  changeMetadata(of, ({ [TRUNCATE_BEFORE]: now, ...rest }) =>
    now === undefined || (typeof now === 'number' && now < before) ? { ...rest, [TRUNCATE_BEFORE]: before } : undefined,
  );

/**
 * Keeps what `change` keeps, such as access rules and the mark of a soft delete, also if others change the metadata at the same time.
 * `change` returns undefined for no change.
 */
const changeMetadata = async (
  { stream, read, append }: MetadataOf,
  change: (metadata: JsonObject) => JsonObject | undefined,
): Promise<void> => {
  for (;;) {
    const { revision, metadata } = await read();
    const wanted = change(metadata);
    if (wanted === undefined) return;
    const event = { id: randomUUID(), type: '$metadata', json: true, data: Buffer.from(JSON.stringify(wanted)), metadata: Buffer.alloc(0) };
    const answer = await append({ stream: `$$${stream}`, events: [event], expected: revision });
    if (answer.outcome === 'appended') return;
  }
};
