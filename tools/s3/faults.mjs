/**
 * The faults of the next requests. A fault is JSON:
 *   { "kind": …, "times": 1, "method"?: "PUT", "match"?: "part of the path and query", "skip"?: 0, … }
 *   fail          answers `status` (503) with S3's error `code` ("SlowDown") and does not forward
 *   fail-after    forwards, and returns that error nevertheless: the request is applied
 *   reset-before  ends the connection without forwarding
 *   reset-after   forwards, waits for the answer and ends the connection without passing it on
 *   delay         forwards after `ms`
 *   corrupt       flips a bit in the middle of the answer's body
 *   cut           ends the connection in the middle of the answer's body
 *   stall         passes on half of the answer's body, and then nothing
 * `skip` matching requests are passed first.
 */
const KINDS = ['fail', 'fail-after', 'reset-before', 'reset-after', 'delay', 'corrupt', 'cut', 'stall'];

export class Faults {
  #waiting = [];
  /** Requests so far, by method; and injected faults, by kind. */
  seen = {};
  done = {};

  /** @throws Error when it is not a valid fault */
  add(fault) {
    if (!KINDS.includes(fault?.kind)) throw new Error(`kind: expected one of ${KINDS.join(', ')}, got ${JSON.stringify(fault?.kind)}`);
    this.#waiting.push({ times: 1, skip: 0, status: 503, code: 'SlowDown', ms: 0, ...fault });
  }

  clear() {
    this.#waiting = [];
    this.seen = {};
    this.done = {};
  }

  /** The fault for this request, if any. */
  next(method, url) {
    this.seen[method] = (this.seen[method] ?? 0) + 1;
    const fault = this.#waiting.find((one) => (one.method ?? method) === method && url.includes(one.match ?? ''));
    if (fault === undefined) return undefined;
    if (fault.skip > 0) return void fault.skip--;
    fault.times--;
    if (fault.times <= 0) this.#waiting = this.#waiting.filter((one) => one !== fault);
    this.done[fault.kind] = (this.done[fault.kind] ?? 0) + 1;
    return fault;
  }

  state() {
    return { waiting: this.#waiting, seen: this.seen, done: this.done };
  }
}
