import { median, quantile } from '../bench/lib/figures.mjs';
import { headings } from './documentation.mjs';

const QUERIES = 24;
const CALLERS = 2;

/**
 * Asks the same queries again and again. The documents do not change, so a query has one answer with the old model and one with the new
 * model: any other answer would be a mixture.
 */
export class QueryLoad {
  #client;
  #queries = [];
  #before = [];
  #answers = [];
  #failed = 0;
  #stop = new AbortController();
  #callers = [];

  constructor(client) {
    this.#client = client;
  }

  /** Learns the answers of the old model first. */
  async start(documents) {
    this.#queries = headings(documents, QUERIES);
    this.#before = await this.#learn();
    this.#callers = Array.from({ length: CALLERS }, (_, i) => this.#ask(i));
  }

  /** Learns the answers of the model that is active now. Undefined if it was not started, or was stopped before. */
  async stop() {
    if (this.#stop.signal.aborted || this.#callers.length === 0) return undefined;
    this.#stop.abort();
    await Promise.all(this.#callers);
    const after = await this.#learn();
    const of = (known) => this.#answers.filter(({ query, answer }) => known[query] === answer);
    const mixed = this.#answers.filter(({ query, answer }) => answer !== this.#before[query] && answer !== after[query]);
    const figures = (answers) => ({
      answers: answers.length,
      'p50 ms': Number(median(answers.map(({ ms }) => ms)).toFixed(1)),
      'p99 ms': Number(
        quantile(
          answers.map(({ ms }) => ms),
          0.99,
        ).toFixed(1),
      ),
    });
    return {
      answered: this.#answers.length,
      failed: this.#failed,
      mixed: mixed.length,
      byModel: { 'old model': figures(of(this.#before)), 'new model': figures(of(after)) },
    };
  }

  async #ask(first) {
    for (let query = first; !this.#stop.signal.aborted; query = (query + CALLERS) % this.#queries.length) {
      const began = performance.now();
      try {
        this.#answers.push({ query, answer: await this.#answer(query), ms: performance.now() - began });
      } catch {
        this.#failed++;
      }
    }
  }

  #learn() {
    return Promise.all(this.#queries.map((_, query) => this.#answer(query)));
  }

  async #answer(query) {
    const { hits } = await this.#client.search({ query: this.#queries[query], topK: 10 });
    return JSON.stringify(hits.map(({ chunkId, score }) => [chunkId, score]));
  }
}
