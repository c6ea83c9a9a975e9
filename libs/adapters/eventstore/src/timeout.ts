/** Nothing arrived in time. The requested operation may still happen. */
export class Timeout extends Error {
  readonly ms: number;
  /** The caller's deadline left less time than the server is given: says nothing about the server. */
  readonly cutShort: boolean;

  constructor(ms: number, cutShort = false) {
    super(`no answer within ${ms} ms`);
    this.ms = ms;
    this.cutShort = cutShort;
  }
}
