import type { QuotaName } from './values/limits.ts';

/**
 * A fault that a caller may have to act upon. Expected outcomes (a conflict, a skipped document) are values, not errors.
 * `code` is stable and goes on the wire; `retryable` says whether the same call may succeed later without being changed.
 */
export abstract class KnowledgeError extends Error {
  abstract readonly code: string;
  abstract readonly retryable: boolean;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Input that cannot be accepted as it is; `field` is the path of what is wrong, `expected` says what would be right. */
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

  /** The same of a part of something larger: a line of a file, say. */
  within(whole: string): InvalidValue {
    const at = new InvalidValue(`${whole}.${this.field}`, this.expected, undefined);
    at.message = `${whole}.${this.message}`;
    return at;
  }
}

/** A request was refused after a part of it had been accepted for good: the fault, and what was accepted, as its answer would have listed it. */
export class PartlyAccepted extends KnowledgeError {
  readonly code: string;
  readonly retryable: boolean;
  readonly fault: KnowledgeError;
  readonly documents: readonly unknown[];

  constructor(fault: KnowledgeError, documents: readonly unknown[]) {
    super(fault.message, { cause: fault });
    this.code = fault.code;
    this.retryable = fault.retryable;
    this.fault = fault;
    this.documents = documents;
  }
}

/** What was asked for does not exist, or not for this caller: the two are never told apart. */
export class NotFound extends KnowledgeError {
  readonly code = 'NotFound';
  readonly retryable = false;

  constructor(kind: string, id: string) {
    super(`no ${kind} "${id}"`);
  }
}

/** The thing has moved on since the caller looked at it. */
export class Conflict extends KnowledgeError {
  readonly code = 'Conflict';
  readonly retryable = false;
}

/** The caller is known, but its roles do not allow this. */
export class Forbidden extends KnowledgeError {
  readonly code = 'Forbidden';
  readonly retryable = false;
}

/** Too much work is waiting; nothing was accepted. `retryAfterSeconds` is an estimate. */
export class Overloaded extends KnowledgeError {
  readonly code = 'Overloaded';
  readonly retryable = true;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Too many requests within a window of time; nothing was done. */
export class RateLimited extends KnowledgeError {
  readonly code = 'RateLimited';
  readonly retryable = true;
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Which limit it is, what it allows, what is used of it already, and in which tier. */
export type ReachedQuota = Readonly<{ limit: QuotaName; allowed: number; used: number; tier?: string }>;

/** The tenant has as much as it may have; nothing was accepted. `retryAfterSeconds`: where the limit renews itself. */
export class QuotaExceeded extends KnowledgeError {
  readonly code = 'QuotaExceeded';
  readonly retryable = false;
  readonly quota: ReachedQuota;
  readonly retryAfterSeconds: number | undefined;

  constructor(quota: ReachedQuota, asked: string, retryAfterSeconds?: number) {
    const { limit, allowed, used, tier } = quota;
    super(`${tier === undefined ? 'this tenant' : `the tier "${tier}"`} allows ${allowed} ${QUOTA_WORDS[limit]}; ${used} are used, and ${asked}`);
    this.quota = quota;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const QUOTA_WORDS: Readonly<Record<QuotaName, string>> = {
  documents: 'documents',
  chunks: 'chunks',
  bytes: 'bytes of documents',
  knowledgeBases: 'knowledge bases',
  liveStreams: 'live streams at a time',
  retrievalsPerDay: 'retrievals a day',
};

/** A read model did not reach the asked position in time. */
export class NotCaughtUp extends KnowledgeError {
  readonly code = 'NotCaughtUp';
  readonly retryable = true;
}

/**
 * Something that this process needs (a store, a model) did not do its work. The message is for operators and may name servers,
 * files and streams. `forCallers`: it was written for callers, who see a general sentence otherwise.
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

/** A server does not answer at all, whatever it is asked: background work waits until it is back. */
export class ServerAway extends Unavailable {}

/** Bytes that were stored are not the bytes that are there now. */
export class Corrupt extends KnowledgeError {
  readonly code = 'Corrupt';
  readonly retryable = false;
}

/** Vectors of this version were asked for, and no model that makes them is configured. */
export class EmbeddingModelMismatch extends KnowledgeError {
  readonly code = 'EmbeddingModelMismatch';
  readonly retryable = false;

  constructor(wanted: string, available: readonly string[]) {
    super(`vectors of ${wanted} are needed, but only ${available.join(', ') || 'no model'} can be computed here`);
  }
}

/** Makes every switch exhaustive at compile time. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};

const describe = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? `"${value}"` : asJson(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
};

/** Whatever came from outside can be told: also what JSON cannot say, and lists so deep that writing them overflows the stack. */
const asJson = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)) ?? `a ${typeof value}`;
  } catch {
    return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  }
};
