import { matches, type Attributes, type Filter } from '@palimpsest/knowledge/access';

/** The maximum number of filters whose results are cached. */
const MAX_CACHED_FILTERS = 16;

/**
 * The distinct attribute records of a partition, numbered. A filter is evaluated once per record, not once per chunk, and its results
 * are cached. Records are only ever added, so a cached filter evaluates only the new ones.
 */
export class AttributeSets {
  readonly #json: string[];
  readonly #numbers: Map<string, number>;
  readonly #results = new Map<string, Uint8Array>();
  #characters = 0;

  /** @param json canonical JSON of each record, by number */
  constructor(json: readonly string[] = []) {
    this.#json = [...json];
    this.#numbers = new Map(json.map((text, number) => [text, number]));
    for (const text of json) this.#characters += text.length;
  }

  get json(): readonly string[] {
    return this.#json;
  }

  /** An estimate: strings and table entries. */
  get bytes(): number {
    return this.#characters * 2 + this.#json.length * 80;
  }

  intern(json: string): number {
    const known = this.#numbers.get(json);
    if (known !== undefined) return known;
    const number = this.#json.push(json) - 1;
    this.#numbers.set(json, number);
    this.#characters += json.length;
    return number;
  }

  /** Returns one byte per record: 1 where it satisfies the filter. */
  kept(filter: Filter): Uint8Array {
    const key = JSON.stringify(filter);
    const known = this.#results.get(key) ?? new Uint8Array(0);
    const kept = known.length === this.#json.length ? known : this.#evaluate(filter, known);
    this.#results.delete(key);
    this.#results.set(key, kept);
    if (this.#results.size > MAX_CACHED_FILTERS) this.#results.delete(this.#results.keys().next().value as string);
    return kept;
  }

  #evaluate(filter: Filter, known: Uint8Array): Uint8Array {
    const kept = new Uint8Array(this.#json.length);
    kept.set(known);
    for (let number = known.length; number < kept.length; number++)
      kept[number] = matches(filter, JSON.parse(this.#json[number] as string) as Attributes) ? 1 : 0;
    return kept;
  }
}
