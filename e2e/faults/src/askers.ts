import type { Hit } from '@palimpsest/client';
import { pause } from '@palimpsest/foundation';
import { answerTo, WrongAnswers } from './answers.ts';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { markersOf, TENANTS, type Tenant } from './uploads.ts';

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
/** Words of the real documents, and of the text that all marked documents share. */
const QUESTIONS = [
  'plan of the spring festival',
  'how are events stored',
  'configuration of the database',
  'query the index',
  'table of figures',
  'licence of the software',
];

/** Searches repeatedly as one tenant, and checks every response for data of other tenants. */
export class Asker {
  readonly wrong = new WrongAnswers();
  readonly leaks: string[] = [];
  /** The documents that were found. */
  readonly seen = new Set<string>();
  readonly tenant: Tenant;
  readonly #url: string;
  readonly #key: string;
  readonly #random: SeededRandom;
  /** Only lexical searches, for a scope whose vectors do not match the model of this installation. */
  readonly #lexicalOnly: boolean;

  constructor(tenant: Tenant, url: string, key: string, random: SeededRandom, lexicalOnly = false) {
    this.tenant = tenant;
    this.#url = url;
    this.#key = key;
    this.#random = random;
    this.#lexicalOnly = lexicalOnly;
  }

  async askUntil(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await this.#askOnce();
      await pause(this.#random.between(100, 500));
    }
  }

  async #askOnce(): Promise<void> {
    const random = this.#random;
    const markers = TENANTS.flatMap((tenant) => markersOf(tenant));
    const query = random.oneOf([
      () => random.oneOf(QUESTIONS),
      () => `${random.oneOf(QUESTIONS)} ${random.oneOf(markers)}`,
      () => `${random.oneOf(markers)} ${random.oneOf(markers)}`,
    ])();
    const strategy = this.#lexicalOnly ? 'SparseOnly' : random.oneOf(STRATEGIES);
    const answer = await answerTo(this.#url, 'POST /v1/search', { key: this.#key, json: { query, strategy, topK: 30 } });
    const what = `${this.tenant} searched (${strategy}) for "${query}"`;
    if (!this.wrong.judge(what, answer, 200) || answer instanceof Error) return;
    const { hits } = answer.json as { hits?: readonly Hit[] };
    if (!Array.isArray(hits)) return void this.wrong.list.push(`${what}: no list of results`);
    for (const { documentId } of hits as readonly Hit[]) this.seen.add(documentId);
    for (const foreign of this.#foreignMarkers(answer.text)) this.leaks.push(`${what}: the response contains ${foreign}`);
  }

  #foreignMarkers(text: string): readonly string[] {
    const foreign = TENANTS.filter((tenant) => tenant !== this.tenant).flatMap((tenant) => markersOf(tenant));
    return foreign.filter((marker) => text.includes(marker));
  }
}
