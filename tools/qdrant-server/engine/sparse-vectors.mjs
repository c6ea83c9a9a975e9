import { badFormat, invalid } from './refusal.mjs';

/** All sparse vectors of one name, as postings. */
export class SparseVectors {
  #vectors = new Map();
  /** @type {Map<number, Map<number, number>>} index to slot to value */
  #postings = new Map();

  constructor({ modifier }) {
    this.modifier = modifier ?? 'none';
  }

  read(raw) {
    const { indices, values } = raw ?? {};
    if (!Array.isArray(indices) || !Array.isArray(values)) throw badFormat('data did not match any variant of untagged enum Vector');
    if (indices.some((one) => !Number.isInteger(one) || one < 0 || one > 0xffffffff)) throw badFormat('indices: expected u32');
    if (values.some((one) => typeof one !== 'number')) throw badFormat('values: expected f32');
    if (indices.length !== values.length) throw invalid('must be the same length as values');
    if (new Set(indices).size !== indices.length) throw invalid('must be unique');
    const order = indices.map((_, i) => i).sort((a, b) => indices[a] - indices[b]);
    return { indices: order.map((i) => indices[i]), values: order.map((i) => Math.fround(values[i])) };
  }

  set(slot, vector) {
    this.delete(slot);
    this.#vectors.set(slot, vector);
    vector.indices.forEach((index, i) => {
      if (!this.#postings.has(index)) this.#postings.set(index, new Map());
      this.#postings.get(index).set(slot, vector.values[i]);
    });
  }

  delete(slot) {
    for (const index of this.#vectors.get(slot)?.indices ?? []) this.#postings.get(index).delete(slot);
    this.#vectors.delete(slot);
  }

  get(slot) {
    return this.#vectors.get(slot);
  }

  /**
   * The scores of all slots that share an index with the query. `idf` counts over the whole collection, whatever the filter, or over the
   * points of a corpus, given by their slots.
   */
  scores(query, corpus) {
    const size = corpus === undefined ? this.#vectors.size : corpus.length;
    const among = corpus && new Set(corpus);
    const holders = (postings) => (among === undefined ? postings.size : [...postings.keys()].filter((slot) => among.has(slot)).length);
    const scores = new Map();
    query.indices.forEach((index, i) => {
      const postings = this.#postings.get(index) ?? new Map();
      const weight = this.modifier === 'idf' ? Math.fround(query.values[i] * idf(size, holders(postings))) : query.values[i];
      for (const [slot, value] of postings) scores.set(slot, Math.fround((scores.get(slot) ?? 0) + Math.fround(weight * value)));
    });
    return scores;
  }
}

const idf = (size, holders) => Math.fround(Math.log((size - holders + 0.5) / (holders + 0.5) + 1));
