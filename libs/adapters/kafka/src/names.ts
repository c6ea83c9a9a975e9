import { InvalidValue } from '@palimpsest/knowledge/errors';

/** Kafka's own limit for the name of a topic. */
const MAX_LENGTH = 249;

/** Topics of the adapter itself, whose names are reserved. */
export const deadLetterTopic = (prefix: string): string => `${prefix}dead-letters`;
export const sharesTopic = (prefix: string, task: string): string => topicOf(prefix, 'shares-', 'task', task);

/**
 * The Kafka topic of a topic of the port. Characters that Kafka does not allow become `_` and two hex digits per byte,
 * so that different names stay different. @throws InvalidValue
 */
export const topicName = (prefix: string, topic: string): string => {
  const name = topicOf(prefix, '', 'topic', topic);
  if (name === deadLetterTopic(prefix) || name.startsWith(`${prefix}shares-`))
    throw new InvalidValue('topic', 'a name other than dead-letters or shares-…', topic);
  return name;
};

/** A Kafka group reads only one topic: changes among the consumers of one topic do not affect those of others. */
export const groupName = (topic: string, group: string): string => `${topic}/${group}`;

/** @throws InvalidValue */
export const checkName = (field: string, name: string): void => {
  if (typeof name !== 'string' || name === '') throw new InvalidValue(field, 'a name', name);
};

const topicOf = (prefix: string, kind: string, field: string, name: string): string => {
  checkName(field, name);
  const escaped = `${prefix}${kind}${name.replace(/[^a-zA-Z0-9.-]/gu, escapeBytes)}`;
  if (escaped.length > MAX_LENGTH) throw new InvalidValue(field, `a shorter name (at most ${MAX_LENGTH} characters with its prefix)`, name);
  return escaped;
};

const escapeBytes = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join('');
