import { KnowledgeError } from '@palimpsest/knowledge';

/** The server refused a call and would refuse it again. The caller did nothing wrong: this adapter or the server's settings did. */
export class Refused extends KnowledgeError {
  readonly code = 'LogRefused';
  readonly retryable = false;
}
