import { InvalidValue } from '@palimpsest/knowledge';

/** Kafka's own limit for the name of a topic. */
const LONGEST = 249;

/** Topics of the adapter itself, which no topic of the platform may take the name of. */
export const deadLetterTopic = (prefix: string): string => `${prefix}dead-letters`;
export const sharesTopic = (prefix: string, task: string): string => topicOf(prefix, 'shares-', 'task', task);

/**
 * The Kafka topic of a topic of the port: what Kafka does not allow in a name is written as `_` and two hex digits per byte,
 * so that two names never become one. @throws InvalidValue
 */
export const topicName = (prefix: string, topic: string): string => {
  const name = topicOf(prefix, '', 'topic', topic);
  if (name === deadLetterTopic(prefix) || name.startsWith(`${prefix}shares-`))
    throw new InvalidValue('topic', 'another name than dead-letters or shares-…', topic);
  return name;
};

/** A Kafka group reads one topic: a change among the consumers of one topic then leaves those of others alone. */
export const groupName = (topic: string, group: string): string => `${topic}/${group}`;

/** @throws InvalidValue */
export const checkName = (field: string, name: string): void => {
  if (typeof name !== 'string' || name === '') throw new InvalidValue(field, 'a name', name);
};

const topicOf = (prefix: string, kind: string, field: string, name: string): string => {
  checkName(field, name);
  const escaped = `${prefix}${kind}${name.replace(/[^a-zA-Z0-9.-]/gu, escapeBytes)}`;
  if (escaped.length > LONGEST) throw new InvalidValue(field, `a shorter name (at most ${LONGEST} characters with its prefix)`, name);
  return escaped;
};

const escapeBytes = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `_${byte.toString(16).padStart(2, '0')}`).join('');
