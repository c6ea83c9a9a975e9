import { matches, type Attributes, type Filter } from '@palimpsest/knowledge/access';

const MAX_CACHED_FILTERS = 16;

/**
 * The distinct attribute records of a partition. Chunks of one document share a record, so a filter is evaluated once per record, and
 * results are cached.
 */
export class AttributeSets {
  readonly #numbers = new Map<string, number>();
  readonly #records: Attributes[] = [];
  readonly #json: string[] = [];
  /** Results per filter, the most recently used last. */
  readonly #cached = new Map<string, boolean[]>();

  /** @param json as `canonicalAttributes` writes it */
  intern(json: string): number {
    const known = this.#numbers.get(json);
    if (known !== undefined) return known;
    const number = this.#records.length;
    this.#numbers.set(json, number);
    this.#records.push(JSON.parse(json) as Attributes);
    this.#json.push(json);
    return number;
  }

  copy(): AttributeSets {
    const copied = new AttributeSets();
    for (const [json, number] of this.#numbers) copied.#numbers.set(json, number);
    copied.#records.push(...this.#records);
    copied.#json.push(...this.#json);
    return copied;
  }

  json(number: number): string {
    return this.#json[number] ?? '{}';
  }

  record(number: number): Attributes {
    return this.#records[number] ?? {};
  }

  /** Returns for each record whether it satisfies the filter. */
  verdicts(filter: Filter): readonly boolean[] {
    const key = JSON.stringify(filter);
    const verdicts = this.#cached.get(key) ?? [];
    for (let n = verdicts.length; n < this.#records.length; n++) verdicts.push(matches(filter, this.record(n)));
    this.#cached.delete(key);
    this.#cached.set(key, verdicts);
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > MAX_CACHED_FILTERS && oldest !== undefined) this.#cached.delete(oldest);
    return verdicts;
  }
}
