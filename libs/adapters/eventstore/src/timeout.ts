/** Nothing arrived in time. The requested operation may still happen. */
export class Timeout extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.ms = ms;
  }
}
