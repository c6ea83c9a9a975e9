import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Message } from '@palimpsest/knowledge/ports';
import type { IHeaders, KafkaMessage, Message as NewKafkaMessage } from 'kafkajs';
import { checkName } from './names.ts';

/** Prefix of the adapter's own headers. */
const OWN = 'palimpsest-';
const ID = `${OWN}id`;
const PUBLISHED = `${OWN}published`;
/** Names the only group that a message is for, after it was put back. */
const ONLY_FOR = `${OWN}only-for`;

/** Kafka's own limit is 1 MiB for a batch of messages including overhead. */
export const MAX_BYTES = 1_000_000;

export type StoredMessage = Message & Readonly<{ publishedAt: string; onlyFor: string | undefined }>;

/** @throws InvalidValue */
export const checkMessage = (message: Message, i: number): void => {
  checkName(`messages[${i}].id`, message.id);
  checkName(`messages[${i}].key`, message.key);
  if (typeof message.body !== 'string') throw new InvalidValue(`messages[${i}].body`, 'JSON text', message.body);
  for (const [name, value] of Object.entries(message.headers))
    if (name.startsWith(OWN) || typeof value !== 'string')
      throw new InvalidValue(`messages[${i}].headers.${name}`, `a string, with a name that does not begin with ${OWN}`, value);
  if (bytesOf(message) > MAX_BYTES) throw new InvalidValue(`messages[${i}]`, `at most ${MAX_BYTES} bytes in total`, bytesOf(message));
};

/** Approximate size of a message on the wire. */
export const bytesOf = ({ id, key, headers, body }: Message): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + 3 * value.length, 200 + 3 * (id.length + key.length)) +
  Buffer.byteLength(body);

/** `publishedAt`: ISO 8601. */
export const toKafka = (message: Message, partition: number, publishedAt: string, onlyFor?: string): NewKafkaMessage => ({
  partition,
  key: message.key,
  value: message.body,
  headers: {
    ...message.headers,
    [ID]: message.id,
    [PUBLISHED]: publishedAt,
    ...(onlyFor === undefined ? {} : { [ONLY_FOR]: onlyFor }),
  },
});

/** A message of another program without the adapter's headers gets its offset as id. */
export const fromKafka = (message: KafkaMessage): StoredMessage => {
  const { headers, body, publishedAt } = contentOf(message);
  return { id: idOf(message), key: message.key?.toString() ?? '', headers, body, publishedAt, onlyFor: onlyForOf(message) };
};

/** Without the fields that are read on intake. */
export const contentOf = (message: KafkaMessage): Pick<StoredMessage, 'headers' | 'body' | 'publishedAt'> => {
  const all = message.headers ?? {};
  const headers: Record<string, string> = {};
  for (const name in all) if (!name.startsWith(OWN)) headers[name] = textOf(all[name]);
  return {
    headers,
    body: message.value?.toString() ?? '',
    publishedAt: ownHeader(all, PUBLISHED) ?? new Date(Number(message.timestamp)).toISOString(),
  };
};

/** Reads only the id. */
export const idOf = ({ headers, offset }: KafkaMessage): string => ownHeader(headers ?? {}, ID) ?? `offset ${offset}`;
export const onlyForOf = ({ headers }: KafkaMessage): string | undefined => ownHeader(headers ?? {}, ONLY_FOR);

const ownHeader = (headers: IHeaders, name: string): string | undefined =>
  headers[name] === undefined ? undefined : textOf(headers[name]);

const textOf = (value: IHeaders[string]): string =>
  Buffer.isBuffer(value) ? value.toString() : String(Array.isArray(value) ? value.at(-1) : value);
