import { Forbidden, InvalidValue, ServerAway, Unavailable, type KnowledgeError } from '@palimpsest/knowledge';

/** A failed attempt at the server: what it means, and whether another one may go better. */
export type Failure =
  | Readonly<{ kind: 'missing' | 'exists' }>
  | Readonly<{ kind: 'fatal'; error: KnowledgeError }>
  | Readonly<{ kind: 'again'; error: KnowledgeError; afterMs: number }>;

/** The server has taken the write but does not say that it is done. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';
}

/** By name rather than by class: what fetch throws may come from another realm than this file (a worker's, a test runner's). */
const RETRIED = new Set(['QdrantClientTimeoutError', 'QdrantClientUnexpectedResponseError', 'QdrantClientResourceExhaustedError', 'AbortError', 'SyntaxError', 'Unfinished']);

/** `undefined` for what did not come from the server or the way there: a fault of the program, which nobody should retry. */
export const failureOf = (what: string, error: unknown): Failure | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const [status, name] = [field(error, 'status'), field(error, 'name')];
  if (typeof status === 'number') return byStatus(what, status, error);
  if (typeof name !== 'string' || (!RETRIED.has(name) && !isCutConnection(name, error))) return undefined;
  const seconds = field(error, 'retry_after');
  const message = `Qdrant: ${what}: ${reason(error)}`;
  return { kind: 'again', error: new ServerAway(message, { cause: error }), afterMs: typeof seconds === 'number' ? 1000 * seconds : 0 };
};

/** What fetch says of a connection that was refused, cut, or cut within an answer. */
const isCutConnection = (name: string, error: object): boolean =>
  name === 'TypeError' && (field(error, 'cause') !== undefined || /fetch failed|terminated/.test(String(field(error, 'message'))));

const byStatus = (what: string, status: number, error: object): Failure => {
  const message = `Qdrant: ${what}: ${status} ${detailOf(error)}`;
  // Another 404 is not Qdrant's: a proxy's, say, on a wrong path. Taken for a missing collection it would pass for an empty index.
  if (status === 404 && /Not found: Collection/.test(message)) return { kind: 'missing' };
  if (status === 409) return { kind: 'exists' };
  // A 500 may be about this one request.
  const Fault = status === 500 ? Unavailable : ServerAway;
  if (status === 408 || status === 429 || status >= 500) return { kind: 'again', error: new Fault(message, { cause: error }), afterMs: 0 };
  if (status === 401 || status === 403) return { kind: 'fatal', error: new Forbidden(message, { cause: error }) };
  return { kind: 'fatal', error: new InvalidValue('qdrant', 'a request that the server accepts', message) };
};

const field = (error: object, name: string): unknown => Reflect.get(error, name);

/** `{ status: { error } }` in the server's own words. */
const detailOf = (error: object): string => JSON.stringify(field(error, 'data') ?? field(error, 'message') ?? '').slice(0, 300);

const reason = (error: object): string => {
  const cause = field(error, 'cause');
  const because = typeof cause === 'object' && cause !== null ? ` (${String(field(cause, 'message'))})` : '';
  return `${String(field(error, 'message'))}${because}`;
};
