import { Conflict, Forbidden, InvalidValue, KnowledgeError, Unavailable } from '@palimpsest/knowledge';
import { Timeout } from './timeout.ts';

/** What gRPC rejects with: a status code, a text, and trailers, of which EventStoreDB's `exception` names the case. */
type StatusError = Error & Readonly<{ code: number; details?: string; metadata?: { get(name: string): readonly (string | Buffer)[] } }>;

const CODE = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadline: 4,
  notFound: 5,
  permission: 7,
  exhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

/** The connection, or the server behind it, did not do its work: what was asked for may have happened or not. */
const TRANSIENT = new Set([CODE.cancelled, CODE.deadline, CODE.exhausted, CODE.aborted, CODE.internal, CODE.unavailable]);

const isStatusError = (error: unknown): error is StatusError =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number';

const exceptionOf = (error: StatusError): string => String(error.metadata?.get('exception')[0] ?? '');

export const isNotLeader = (error: unknown): boolean => isStatusError(error) && exceptionOf(error) === 'not-leader';
export const isStreamDeleted = (error: unknown): boolean => isStatusError(error) && exceptionOf(error) === 'stream-deleted';

/** Whether asking again may help. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Timeout ||
  error instanceof Unavailable ||
  isNotLeader(error) ||
  (isStatusError(error) && (TRANSIENT.has(error.code) || (error.details ?? '').includes('write after end'))) ||
  // Gossip and name resolution fail with plain errors of the client.
  (error instanceof Error && /discover|ENOTFOUND|ECONN|EAI_AGAIN|channel has been shut down|closed/i.test(error.message));

/** The same fault in the words of the domain. `doing`: what was tried, for the message. */
export const asKnowledgeError = (error: unknown, doing: string): KnowledgeError => {
  if (error instanceof KnowledgeError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `EventStoreDB, ${doing}: ${why}`;
  if (isTransient(error)) return new Unavailable(message);
  if (!isStatusError(error)) return new Unavailable(message);
  if (isStreamDeleted(error)) return new Conflict(`EventStoreDB, ${doing}: the stream was deleted for good`);
  if (error.code === CODE.permission || error.code === CODE.unauthenticated || exceptionOf(error) === 'access-denied')
    return new Forbidden(message);
  if (/invalid ?position/i.test(why)) return new InvalidValue('position', 'a position that this log has handed out', why);
  return new Unavailable(message);
};
