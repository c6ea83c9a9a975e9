import { KnowledgeError } from '@palimpsest/knowledge';

const inWords = (bytes: number): string => (bytes >= 1024 * 1024 ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB` : `${Math.round((bytes / 1024) * 10) / 10} KiB`);

/** More bytes than may be sent. */
export class TooLarge extends KnowledgeError {
  readonly code = 'TooLarge';
  readonly retryable = false;

  constructor(what: string, bytes: number) {
    super(`${what} may have at most ${inWords(bytes)}`);
  }
}

/** A body of a type or in a coding that the route does not read. */
export class UnsupportedMediaType extends KnowledgeError {
  readonly code = 'UnsupportedMediaType';
  readonly retryable = false;
}

/** The path exists, with other methods. */
export class MethodNotAllowed extends KnowledgeError {
  readonly code = 'MethodNotAllowed';
  readonly retryable = false;
  readonly allow: readonly string[];

  constructor(method: string, allow: readonly string[]) {
    super(`the path does not have the method ${method}, but ${allow.join(', ')}`);
    this.allow = allow;
  }
}

/** The `Host` header names a server that this one is not. */
export class MisdirectedRequest extends KnowledgeError {
  readonly code = 'MisdirectedRequest';
  readonly retryable = false;
}

/** A request that went wrong when some of it was done already: its problem says what. */
export class PartlyDone extends Error {
  readonly done: Readonly<Record<string, unknown>>;

  constructor(cause: unknown, done: Readonly<Record<string, unknown>>) {
    super('some of the request was done', { cause });
    this.done = done;
  }
}
