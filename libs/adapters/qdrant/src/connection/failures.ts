import { ServerAway, StoreRefused, Unavailable, type KnowledgeError } from '@palimpsest/knowledge/errors';

/** A failed request: what it means, and whether a retry may succeed. */
export type Failure =
  | Readonly<{ kind: 'missing' | 'exists' }>
  | Readonly<{ kind: 'fatal'; error: KnowledgeError }>
  | Readonly<{ kind: 'again'; error: KnowledgeError; afterMs: number }>;

/** The server has accepted the write but does not confirm that it is done. */
export class Unfinished extends Error {
  override readonly name = 'Unfinished';
}

/** By name rather than by class: errors of fetch may come from another realm than this file (a worker's, a test runner's). */
const RETRIED = new Set([
  'QdrantClientTimeoutError',
  'QdrantClientUnexpectedResponseError',
  'QdrantClientResourceExhaustedError',
  'AbortError',
  'SyntaxError',
  'Unfinished',
]);

/** `undefined` for an error that is neither from the server nor from the connection: a bug of the program, which must not be retried. */
export const failureOf = (what: string, error: unknown): Failure | undefined => {
  if (typeof error !== 'object' || error === null) return undefined;
  const [status, name] = [field(error, 'status'), field(error, 'name')];
  if (typeof status === 'number') return byStatus(what, status, error);
  if (typeof name !== 'string' || (!RETRIED.has(name) && !isBrokenConnection(name, error))) return undefined;
  const seconds = field(error, 'retry_after');
  const message = `Qdrant: ${what}: ${reason(error)}`;
  return { kind: 'again', error: new ServerAway(message, { cause: error }), afterMs: typeof seconds === 'number' ? 1000 * seconds : 0 };
};

/** The errors of fetch for a connection that was refused or broken, also within an answer. */
const isBrokenConnection = (name: string, error: object): boolean =>
  name === 'TypeError' && (field(error, 'cause') !== undefined || /fetch failed|terminated/.test(String(field(error, 'message'))));

const byStatus = (what: string, status: number, error: object): Failure => {
  const message = `Qdrant: ${what}: ${status} ${detailOf(error)}`;
  // Another 404 is not Qdrant's, but for example a proxy's, on a wrong path. As a missing collection, it would look like an empty index.
  if (status === 404 && /Not found: Collection/.test(message)) return { kind: 'missing' };
  if (status === 409) return { kind: 'exists' };
  // A 500 may concern this request only.
  const Fault = status === 500 ? Unavailable : ServerAway;
  if (status === 408 || status === 429 || status >= 500) return { kind: 'again', error: new Fault(message, { cause: error }), afterMs: 0 };
  return { kind: 'fatal', error: new StoreRefused(message, { cause: error }) };
};

const field = (error: object, name: string): unknown => Reflect.get(error, name);

/** `{ status: { error } }`: the message of the server. */
const detailOf = (error: object): string => JSON.stringify(field(error, 'data') ?? field(error, 'message') ?? '').slice(0, 300);

const reason = (error: object): string => {
  const cause = field(error, 'cause');
  const because = typeof cause === 'object' && cause !== null ? ` (${String(field(cause, 'message'))})` : '';
  return `${String(field(error, 'message'))}${because}`;
};
