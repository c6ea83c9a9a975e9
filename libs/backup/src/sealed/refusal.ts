import { KnowledgeError } from '@palimpsest/knowledge/errors';

/** A sealed file cannot be used. The message is one line for the user. */
export class UnusableFile extends KnowledgeError {
  readonly code = 'UnusableFile';
  readonly retryable = false;
}

/** The file seems valid, but this secret does not open it. */
export class WrongSecret extends KnowledgeError {
  readonly code = 'WrongSecret';
  readonly retryable = false;
}
