import { Conflict, InvalidValue, KnowledgeError, ServerAway, StoreRefused } from '@palimpsest/knowledge/errors';
import { NotWritten, OutcomeUnknown } from './not-written.ts';
import { Timeout } from './timeout.ts';

/** An error of gRPC: a status code, a text, and trailers. EventStoreDB's `exception` trailer names the case. */
type StatusError = Error & Readonly<{ code: number; details?: string; metadata?: { get(name: string): readonly (string | Buffer)[] } }>;

const CODE = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadline: 4,
  permission: 7,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
};

/** The server would refuse the same call again. No other status says anything about the outcome, so the call is retried. */
const FINAL = new Set([CODE.invalidArgument, CODE.permission, CODE.unimplemented, CODE.unauthenticated]);
/** The connection, or the node at its other end, does not work. */
const OF_THE_CONNECTION = new Set([CODE.cancelled, CODE.deadline, CODE.internal, CODE.unavailable]);

const NO_LEADER = 'No leader info available in response';
const BUSY = /^Server Is (Too )?Busy$/;
/** How the server refuses a read of the whole log at a position where no event begins: 23.10, with and without a filter; later versions. */
const NO_EVENT_THERE = /Unexpected ReadAllResult: InvalidPosition|invalid position/i;
const PERHAPS_NO_EVENT_THERE = /Unexpected FilteredReadAllResult: (Error|InvalidPosition)/;

const isStatusError = (error: unknown): error is StatusError =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'number';

const textOf = (error: Error): string => (isStatusError(error) ? (error.details ?? error.message) : error.message);
const exceptionOf = (error: StatusError): string => String(error.metadata?.get('exception')[0] ?? '');

export const isNotLeader = (error: unknown): boolean => isStatusError(error) && exceptionOf(error) === 'not-leader';
export const isStreamDeleted = (error: unknown): boolean => isStatusError(error) && exceptionOf(error) === 'stream-deleted';
export const isInvalidPosition = (error: unknown): boolean => isStatusError(error) && NO_EVENT_THERE.test(textOf(error));
export const mayBeInvalidPosition = (error: unknown): boolean =>
  isInvalidPosition(error) || (isStatusError(error) && PERHAPS_NO_EVENT_THERE.test(textOf(error)));

/** Gossip and name resolution fail with plain errors of the client. */
const isOfTheClient = (error: unknown): boolean =>
  error instanceof Error && /discover|ENOTFOUND|ECONN|EAI_AGAIN|channel has been shut down|write after end|closed/i.test(error.message);

/** Whether a retry may help. */
export const isTransient = (error: unknown): boolean => {
  if (error instanceof KnowledgeError) return error.retryable;
  if (error instanceof Timeout || error instanceof NotWritten || error instanceof OutcomeUnknown) return true;
  if (!isStatusError(error)) return isOfTheClient(error);
  return !FINAL.has(error.code) && !isStreamDeleted(error) && exceptionOf(error) !== 'access-denied' && !isInvalidPosition(error);
};

/** Whether the node cannot do the work, so that another one may be the leader. The adapter stays with an overloaded node. */
export const isOfTheNode = (error: unknown): boolean => {
  if (!(error instanceof Error) || BUSY.test(textOf(error))) return false;
  if (error instanceof Timeout || error instanceof NotWritten || isNotLeader(error)) return true;
  if (!isStatusError(error)) return isOfTheClient(error);
  return OF_THE_CONNECTION.has(error.code) || textOf(error) === NO_LEADER;
};

export const invalidPosition = (): InvalidValue => new InvalidValue('position', 'a position that this log returned', 'another position');

/** The same fault as a domain error. `doing`: the operation, for the operator. Callers never see it. */
export const asKnowledgeError = (error: unknown, doing: string): KnowledgeError => {
  if (error instanceof KnowledgeError) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `EventStoreDB, ${doing}: ${why}`;
  if (isStreamDeleted(error)) return new Conflict('the stream was deleted permanently', { cause: error });
  if (isInvalidPosition(error)) return invalidPosition();
  if (isTransient(error) || !isStatusError(error)) return new ServerAway(message, { cause: error });
  return new StoreRefused(message, { cause: error });
};
