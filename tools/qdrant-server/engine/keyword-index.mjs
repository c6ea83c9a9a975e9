import { valuesAt } from './payload-path.mjs';

/** The slots that hold a keyword, for one payload key. */
export class KeywordIndex {
  #slots = new Map();
  #steps;

  constructor(steps) {
    this.#steps = steps;
  }

  add(slot, payload) {
    for (const value of this.#keywords(payload)) {
      if (!this.#slots.has(value)) this.#slots.set(value, new Set());
      this.#slots.get(value).add(slot);
    }
  }

  remove(slot, payload) {
    for (const value of this.#keywords(payload)) {
      const slots = this.#slots.get(value);
      slots?.delete(slot);
      if (slots?.size === 0) this.#slots.delete(value);
    }
  }

  slots(values) {
    if (values.length === 1) return this.#slots.get(values[0]) ?? new Set();
    return new Set(values.flatMap((value) => [...(this.#slots.get(value) ?? [])]));
  }

  #keywords(payload) {
    return valuesAt(payload, this.#steps).filter((value) => typeof value === 'string');
  }
}
