import { matches, type Attributes, type Filter } from '@palimpsest/knowledge';

/** Verdicts of so many filters are remembered. */
const REMEMBERED = 16;

/**
 * The different records of attributes in a partition, numbered. A filter is asked once per record, not once per chunk, and its
 * verdicts are kept: records are only ever added, so that a known filter looks at the new ones alone.
 */
export class AttributeSets {
  readonly #json: string[];
  readonly #numbers: Map<string, number>;
  readonly #verdicts = new Map<string, Uint8Array>();
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

  /** Rough: strings, table entry. */
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

  /** One byte per record: 1 where the filter is satisfied. */
  kept(filter: Filter): Uint8Array {
    const key = JSON.stringify(filter);
    const known = this.#verdicts.get(key) ?? new Uint8Array(0);
    const kept = known.length === this.#json.length ? known : this.#judge(filter, known);
    this.#verdicts.delete(key);
    this.#verdicts.set(key, kept);
    if (this.#verdicts.size > REMEMBERED) this.#verdicts.delete(this.#verdicts.keys().next().value as string);
    return kept;
  }

  #judge(filter: Filter, known: Uint8Array): Uint8Array {
    const kept = new Uint8Array(this.#json.length);
    kept.set(known);
    for (let number = known.length; number < kept.length; number++)
      kept[number] = matches(filter, JSON.parse(this.#json[number] as string) as Attributes) ? 1 : 0;
    return kept;
  }
}
