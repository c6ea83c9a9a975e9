import { KnowledgeError } from '@palimpsest/knowledge/errors';

const formatBytes = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB` : `${Math.round((bytes / 1024) * 10) / 10} KiB`;

/** The request exceeds a size limit. */
export class TooLarge extends KnowledgeError {
  readonly code = 'TooLarge';
  readonly retryable = false;

  constructor(what: string, bytes: number) {
    super(`${what} must not exceed ${formatBytes(bytes)}`);
  }
}

/** The route does not support the media type or encoding of the body. */
export class UnsupportedMediaType extends KnowledgeError {
  readonly code = 'UnsupportedMediaType';
  readonly retryable = false;
}

/** The path exists, but not with this method. */
export class MethodNotAllowed extends KnowledgeError {
  readonly code = 'MethodNotAllowed';
  readonly retryable = false;
  readonly allow: readonly string[];

  constructor(method: string, allow: readonly string[]) {
    super(`method ${method} is not allowed for this path; allowed: ${allow.join(', ')}`);
    this.allow = allow;
  }
}

/** The `Host` header names another server. */
export class MisdirectedRequest extends KnowledgeError {
  readonly code = 'MisdirectedRequest';
  readonly retryable = false;
}

/** A request that failed after part of it was completed. The problem response lists the completed part. */
export class PartlyDone extends Error {
  readonly done: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, done: Readonly<Record<string, unknown>>) {
    super('the request was partly completed', { cause });
    this.done = done;
  }
}
