import { KnowledgeError, ServerAway, StoreRefused, Unavailable } from '@palimpsest/knowledge/errors';

/** The cluster would refuse again: missing rights, a wrong password, a setting that it does not allow. */
const REFUSALS = /AUTHORIZATION_FAILED|SASL|INVALID_(?!PRODUCER|TXN)|POLICY_VIOLATION|UNSUPPORTED|MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE/;

/** The error and its causes, outermost first. */
const causesOf = (error: unknown): readonly Error[] => {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < 6; one = one.cause) causes.push(one);
  return causes;
};

/** The error type of the broker, such as `UNKNOWN_MEMBER_ID`; `''` if there is none. */
export const kafkaType = (error: unknown): string => {
  for (const one of causesOf(error)) if ('type' in one && typeof one.type === 'string') return one.type;
  return '';
};

/** The error that leaves the adapter: always an error of the platform, never one of the client. */
export const translated = (doing: string, error: unknown): Error => {
  if (error instanceof KnowledgeError) return error;
  const text = `${doing}: ${error instanceof Error ? error.message : String(error)}`;
  if (REFUSALS.test(kafkaType(error)) || (error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError'))
    return new StoreRefused(text, { cause: error });
  if (causesOf(error).some((one) => isNetwork(one) || isPassing(one))) return new ServerAway(text, { cause: error });
  if (isOfKafkajs(error)) return new Unavailable(text, { cause: error });
  return error instanceof Error ? error : new Error(text);
};

/** By name, since Node does not detect its classes among the exports of the CommonJS package. */
const isOfKafkajs = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS');

/** The connection failed, or the cluster has no leader or too few replicas at the moment. After its own retries, kafkajs wraps such an error. */
const isPassing = (error: Error): boolean => isOfKafkajs(error) && 'retriable' in error && error.retriable === true;

const isNetwork = (error: Error): boolean => 'code' in error && /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(String(error.code));
