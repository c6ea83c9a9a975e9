import type { Hit } from '@palimpsest/client';
import { pause } from '../test/eventually.ts';
import { answerTo, WrongAnswers } from './answers.ts';
import type { SeededRandom } from './seeded-random.ts';
import { markersOf, TENANTS, type Tenant } from './uploads.ts';

const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
/** Words of the real documents, and of what all marked ones have in common. */
const QUESTIONS = ['plan of the spring festival', 'how are events stored', 'configuration of the database', 'query the index', 'table of figures', 'licence of the software'];

/** Asks for one tenant, over and over, and looks at every answer for what belongs to another. */
export class Asker {
  readonly wrong = new WrongAnswers();
  readonly leaks: string[] = [];
  /** Documents that were among the hits. */
  readonly seen = new Set<string>();
  readonly tenant: Tenant;
  readonly #url: string;
  readonly #key: string;
  readonly #random: SeededRandom;
  /** A scope whose vectors no model of this installation can compare with a query is asked by words alone. */
  readonly #wordsAlone: boolean;

  constructor(tenant: Tenant, url: string, key: string, random: SeededRandom, wordsAlone = false) {
    this.tenant = tenant;
    this.#url = url;
    this.#key = key;
    this.#random = random;
    this.#wordsAlone = wordsAlone;
  }

  async askUntil(over: () => boolean): Promise<void> {
    while (!over()) {
      await this.#askOnce();
      await pause(this.#random.between(100, 500));
    }
  }

  async #askOnce(): Promise<void> {
    const random = this.#random;
    const markers = TENANTS.flatMap((tenant) => markersOf(tenant));
    const query = random.oneOf([() => random.oneOf(QUESTIONS), () => `${random.oneOf(QUESTIONS)} ${random.oneOf(markers)}`, () => `${random.oneOf(markers)} ${random.oneOf(markers)}`])();
    const strategy = this.#wordsAlone ? 'SparseOnly' : random.oneOf(STRATEGIES);
    const answer = await answerTo(this.#url, 'POST /v1/search', { key: this.#key, json: { query, strategy, topK: 30 } });
    const what = `${this.tenant} asked (${strategy}) for "${query}"`;
    if (!this.wrong.judge(what, answer, 200) || answer instanceof Error) return;
    const { hits } = answer.json as { hits?: readonly Hit[] };
    if (!Array.isArray(hits)) return void this.wrong.list.push(`${what}: no list of hits`);
    for (const { documentId } of hits as readonly Hit[]) this.seen.add(documentId);
    for (const foreign of this.#foreignMarkers(answer.text)) this.leaks.push(`${what}: the answer holds ${foreign}`);
  }

  #foreignMarkers(text: string): readonly string[] {
    const foreign = TENANTS.filter((tenant) => tenant !== this.tenant).flatMap((tenant) => markersOf(tenant));
    return foreign.filter((marker) => text.includes(marker));
  }
}
