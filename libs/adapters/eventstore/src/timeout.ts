/** Nothing came in time; what was asked for may still happen. */
export class Timeout extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.ms = ms;
  }
}
