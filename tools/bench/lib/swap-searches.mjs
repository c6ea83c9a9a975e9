import { setTimeout as sleep } from 'node:timers/promises';

/** Of these, the platform says so itself; a client sends the request again. */
const NOT_THERE = new Set([503]);
const PAUSE_MS = 50;

/** Resolves when a replica answers from this generation. */
export const answersFrom = async (url, { query, key, generation }) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, topK: 1, explain: true });
  for (;;) {
    const response = await fetch(`${url}/v1/search`, { method: 'POST', headers, body }).catch(() => undefined);
    const { hits } = response?.ok ? await response.json() : { hits: [] };
    if (hits[0]?.explain?.generation?.generation === generation) return;
    await sleep(2);
  }
};

/** Callers that search, and check every answer. */
export class SwapSearches {
  answered = 0;
  /** Requests that were sent again, because no process answered or because it was starting or stopping. */
  repeated = 0;
  failures = [];
  wrong = [];
  #options;
  #expected;
  /** Changes with every exchange of generations: an answer is judged only if none began or ended meanwhile. */
  #epoch = 0;
  #on = false;
  #done = [];
  #sample;

  /** `textOf`: the text of document `n`, which is found by its own words as `n.md`. */
  constructor(options) {
    this.#options = options;
  }

  start() {
    this.#on = true;
    this.#done = Array.from({ length: this.#options.callers }, (_, caller) => this.#run(caller));
  }

  async stop() {
    this.#on = false;
    await Promise.all(this.#done);
  }

  /** From now on, answers come from this generation; undefined: from either. */
  expect(generation) {
    this.#expected = generation;
    this.#epoch++;
  }

  /** The durations of the next searches, ms. */
  async measure(count) {
    this.#sample = [];
    while (this.#sample.length < count) await sleep(20);
    const sample = this.#sample;
    this.#sample = undefined;
    return sample;
  }

  async #run(caller) {
    const { callers, documents, pauseMs = 0 } = this.#options;
    for (let n = caller; this.#on; n += callers) {
      const epoch = this.#epoch;
      const expected = this.#expected;
      const began = performance.now();
      const answer = await this.#answer(n % documents, n);
      const ms = performance.now() - began;
      if (pauseMs > 0) await sleep(pauseMs);
      if (answer === undefined) continue;
      this.answered++;
      this.#sample?.push(ms);
      const generations = [...new Set(answer.hits.map(({ explain }) => explain?.generation?.generation))];
      const source = answer.hits[0]?.source;
      if (source !== `${n % documents}.md`) this.wrong.push(`document ${n % documents} was asked for, ${source} was found`);
      if (generations.length !== 1) this.wrong.push(`generations ${generations.join(' and ')} in one answer`);
      if (expected !== undefined && epoch === this.#epoch && generations[0] !== expected)
        this.wrong.push(`generation ${generations[0]} answered, ${expected} was active`);
    }
  }

  /** Sends the search until a process answers. Undefined if the answer is an error. */
  async #answer(document, number) {
    const { url, apiKey, textOf } = this.#options;
    // Another text each time, so that the model is asked each time.
    const body = JSON.stringify({ query: `${textOf(document)} ask${number}`, topK: 5, explain: true });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    for (;;) {
      try {
        const response = await fetch(`${url}/v1/search`, { method: 'POST', headers, body });
        const text = await response.text();
        if (response.ok) return JSON.parse(text);
        if (!NOT_THERE.has(response.status)) return void this.failures.push(`${response.status} ${text.slice(0, 200)}`);
      } catch {
        // The connection was refused or closed: the process was killed.
      }
      this.repeated++;
      await sleep(PAUSE_MS);
    }
  }
}
