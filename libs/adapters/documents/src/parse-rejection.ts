import type { ParseFailure } from '@palimpsest/knowledge';

/** Thrown inside the parsing process when a file cannot become text; it leaves the process as an outcome. */
export class ParseRejection extends Error {
  readonly reason: ParseFailure;

  /** `detail` is a sentence for people. */
  constructor(reason: ParseFailure, detail: string) {
    super(detail);
    this.name = 'ParseRejection';
    this.reason = reason;
  }
}
