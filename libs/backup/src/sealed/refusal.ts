import { KnowledgeError } from '@palimpsest/knowledge';

/** A sealed file cannot be used as it is; the message is one line for the person who gave it. */
export class UnusableFile extends KnowledgeError {
  readonly code = 'UnusableFile';
  readonly retryable = false;
}

/** The file is sound as far as can be seen, but this secret does not open it. */
export class WrongSecret extends KnowledgeError {
  readonly code = 'WrongSecret';
  readonly retryable = false;
}
