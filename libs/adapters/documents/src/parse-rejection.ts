import type { ParseFailure } from '@palimpsest/knowledge/ports';

/** Thrown inside the parser process if a file cannot be parsed. It becomes the outcome of the file. */
export class ParseRejection extends Error {
  readonly reason: ParseFailure;

  /** `detail` is a sentence for people. */
  constructor(reason: ParseFailure, detail: string) {
    super(detail);
    this.name = 'ParseRejection';
    this.reason = reason;
  }
}
