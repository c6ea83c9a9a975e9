import { KnowledgeError, Unavailable } from '@palimpsest/knowledge';

/** The cluster refuses, and would refuse again: missing rights, a wrong password, a setting that it does not allow. */
export class KafkaRefused extends KnowledgeError {
  readonly code = 'KafkaRefused';
  readonly retryable = false;
}

const REFUSALS = /AUTHORIZATION_FAILED|SASL|INVALID_(?!PRODUCER|TXN)|POLICY_VIOLATION|UNSUPPORTED|MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE/;

/** The innermost error type of the broker, such as `UNKNOWN_MEMBER_ID`; `''` if there is none. */
export const kafkaType = (error: unknown): string => {
  for (let one = error, depth = 0; one instanceof Error && depth < 6; one = one.cause, depth += 1) {
    if ('type' in one && typeof one.type === 'string') return one.type;
  }
  return '';
};

/** The error that leaves the adapter: always an error of the platform, never one of the client. */
export const translated = (doing: string, error: unknown): Error => {
  if (error instanceof KnowledgeError) return error;
  const text = `${doing}: ${error instanceof Error ? error.message : String(error)}`;
  if (REFUSALS.test(kafkaType(error)) || (error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError'))
    return new KafkaRefused(text, { cause: error });
  if (isOfKafkajs(error) || isNetwork(error)) return new Unavailable(text, { cause: error });
  return error instanceof Error ? error : new Error(text);
};

/** By name, since Node does not detect its classes among the exports of the CommonJS package. */
const isOfKafkajs = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');

const isNetwork = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(String(error.code));
