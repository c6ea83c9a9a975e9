import { setTimeout as sleep } from 'node:timers/promises';

/** The faults of the next requests. `match`: a regular expression over "METHOD /path"; without it, every request. */
export class Faults {
  /** @type {{ count: number, mode: string, when: string, match: RegExp }[]} */
  #planned = [];
  #delayMs = 0;
  met = 0;
  requests = 0;

  /** @param {{ delayMs?: number, fail?: { count?: number, mode?: string, when?: string, match?: string } }} plan */
  plan({ delayMs, fail }) {
    if (delayMs !== undefined) this.#delayMs = delayMs;
    if (fail === undefined) return;
    const { count = 1, mode = '500', when = 'before', match = '' } = fail;
    if (!/^([45]\d\d|reset)$/.test(mode)) throw new Error('mode: a status of 4xx or 5xx, or reset');
    if (!['before', 'after'].includes(when)) throw new Error('when: before or after');
    this.#planned.push({ count, mode, when, match: new RegExp(match) });
  }

  clear() {
    this.#planned = [];
    this.#delayMs = 0;
  }

  /** The fault for this request, if any. It is used up. */
  async meet(request) {
    this.requests++;
    if (this.#delayMs > 0) await sleep(this.#delayMs);
    const fault = this.#planned.find(({ match }) => match.test(request));
    if (fault === undefined) return undefined;
    this.met++;
    if (--fault.count <= 0) this.#planned.splice(this.#planned.indexOf(fault), 1);
    return fault;
  }
}
