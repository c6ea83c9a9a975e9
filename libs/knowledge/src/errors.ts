import type { QuotaName } from './values/limits.ts';

/**
 * Base class of all errors that a caller may have to handle. `code` is stable and part of the API. `retryable` says whether the same
 * call may succeed later without changes.
 */
export abstract class KnowledgeError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Invalid input. `field` is the path of the invalid value; `expected` describes a valid one. */
export class InvalidValue extends KnowledgeError {
  readonly code = 'InvalidValue';
  readonly retryable = false;
  readonly field: string;
  readonly expected: string;

  constructor(field: string, expected: string, got: unknown) {
    super(`${field}: expected ${expected}, got ${describe(got)}`);
    this.field = field;
    this.expected = expected;
  }

  /** The same error with a longer path, for a value that is part of something larger (a line of a file). */
  within(whole: string): InvalidValue {
    const at = new InvalidValue(`${whole}.${this.field}`, this.expected, undefined);
    at.message = `${whole}.${this.message}`;
    return at;
  }
}

/** A request failed after part of it was accepted. Carries the error and the accepted documents, in the form of the normal response. */
export class PartlyAccepted extends KnowledgeError {
  readonly code: string;
  readonly retryable: boolean;
  readonly fault: unknown;
  readonly documents: readonly unknown[];

  constructor(fault: unknown, documents: readonly unknown[]) {
    super(fault instanceof Error ? fault.message : String(fault), { cause: fault });
    this.code = fault instanceof KnowledgeError ? fault.code : 'Internal';
    this.retryable = fault instanceof KnowledgeError && fault.retryable;
    this.fault = fault;
    this.documents = documents;
  }
}

/** The resource does not exist, or the caller may not see it. Callers cannot distinguish the two cases. */
export class NotFound extends KnowledgeError {
  readonly code = 'NotFound';
  readonly retryable = false;

  constructor(kind: string, id: string) {
    super(`${kind} "${id}" not found`);
  }
}

/** The resource was changed since the caller read it, or its state does not permit the command. */
export class Conflict extends KnowledgeError {
  readonly code = 'Conflict';
  readonly retryable = false;
}

/** The caller is authenticated, but its roles do not permit the operation. */
export class Forbidden extends KnowledgeError {
  readonly code = 'Forbidden';
  readonly retryable = false;
}

/** The queue is full; nothing was accepted. `retryAfterSeconds` is an estimate. */
export class Overloaded extends KnowledgeError {
  readonly code = 'Overloaded';
  readonly retryable = true;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Too many requests in the current rate window; the request was not executed. */
export class RateLimited extends KnowledgeError {
  readonly code = 'RateLimited';
  readonly retryable = true;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The quota that was reached, its limit, the current usage, and the tier that sets it. */
export type ReachedQuota = Readonly<{ limit: QuotaName; allowed: number; used: number; tier?: string }>;

/** A quota of the tenant is used up; nothing was accepted. `retryAfterSeconds` is set for quotas that reset after some time. */
export class QuotaExceeded extends KnowledgeError {
  readonly code = 'QuotaExceeded';
  readonly retryable = false;
  readonly quota: ReachedQuota;
  readonly retryAfterSeconds: number | undefined;

  constructor(quota: ReachedQuota, requested: string, retryAfterSeconds?: number) {
    const { limit, allowed, used, tier } = quota;
    super(
      `${tier === undefined ? 'this tenant' : `the tier "${tier}"`} allows ${allowed} ${QUOTA_WORDS[limit]}: ${used} used, ${requested}`,
    );
    this.quota = quota;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const QUOTA_WORDS: Readonly<Record<QuotaName, string>> = {
  documents: 'documents',
  chunks: 'chunks',
  bytes: 'bytes of documents',
  knowledgeBases: 'knowledge bases',
  liveStreams: 'concurrent live streams',
  retrievalsPerDay: 'retrievals per day',
};

/** A moment of which the log does not have everything any more. `earliest`: the earliest position that can still be answered. */
export class HistoryRemoved extends KnowledgeError {
  readonly code = 'HistoryRemoved';
  readonly retryable = false;
  readonly earliest: string;

  constructor(message: string, earliest: string) {
    super(`${message}; the earliest position that can be answered is ${earliest}`);
    this.earliest = earliest;
  }
}

/** A read model did not reach the requested position in time. */
export class NotCaughtUp extends KnowledgeError {
  readonly code = 'NotCaughtUp';
  readonly retryable = true;
}

/**
 * A dependency of this process (a store, a model) failed. The message is for operators and may name servers, files and streams.
 * Callers see a generic message unless `forCallers` is set.
 */
export class Unavailable extends KnowledgeError {
  readonly code = 'Unavailable';
  readonly retryable = true;
  readonly forCallers: boolean;

  constructor(message: string, { forCallers = false, ...options }: ErrorOptions & Readonly<{ forCallers?: boolean }> = {}) {
    super(message, options);
    this.forCallers = forCallers;
  }
}

/** A server cannot be reached. Background work waits until it is available again. */
export class ServerAway extends Unavailable {}

/**
 * A store rejected a call and would reject it again: its credentials, its settings or the adapter are wrong. The caller is not at fault,
 * so the message is for operators only.
 */
export class StoreRefused extends KnowledgeError {
  readonly code = 'StoreRefused';
  readonly retryable = false;
}

/** Stored bytes were changed or damaged. */
export class Corrupt extends KnowledgeError {
  readonly code = 'Corrupt';
  readonly retryable = false;
}

/** No configured model computes vectors of the required embedding version. */
export class EmbeddingModelMismatch extends KnowledgeError {
  readonly code = 'EmbeddingModelMismatch';
  readonly retryable = false;

  constructor(required: string, available: readonly string[]) {
    super(
      `embedding version ${required} is required, but ${available.length === 0 ? 'no model' : `only ${available.join(', ')}`} is configured`,
    );
  }
}

/**
 * The model under this name is not the one that it was. It is treated as missing until it is the same again, since vectors of two models must not be
 * mixed.
 */
export class ModelChanged extends Unavailable {
  constructor(version: string, difference: string) {
    super(
      `the model ${version} changed under its name: ${difference}. Vectors of two models must not be mixed: make the earlier model available under this name again and resume, or cancel, and use the new model under another name`,
      { forCallers: true },
    );
  }
}

/** For the `default` of a switch: a missing case does not compile. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};

const describe = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? `"${value}"` : asJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};

/** Describes any input, including values that JSON cannot represent and lists nested too deeply to serialize. */
const asJson = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)) ?? `a ${typeof value}`;
  } catch {
    return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  }
};
