import { DenseVectors } from './dense-vectors.mjs';
import { wrongInput } from './refusal.mjs';

/** Several vectors under one name of a point (`multivector_config`, comparator `max_sim`): the sum, over the query's vectors, of the best score. */
export class MultiVectors {
  #held = new Map();

  constructor(params) {
    this.params = params;
    this.distance = params.distance;
    this.one = new DenseVectors(params);
  }

  /** A single vector is a list of one, like on the real server. */
  read(raw) {
    const list = Array.isArray(raw) && raw.length > 0 && raw.every(Array.isArray) ? raw : [raw];
    if (Array.isArray(raw) && raw.length === 0)
      throw wrongInput('Conversion between multi and regular vectors failed: MultiDenseVector cannot be empty');
    return list.map((vector) => this.one.read(vector));
  }

  set(slot, vectors) {
    this.#held.set(
      slot,
      vectors.map((vector) => {
        const single = new DenseVectors(this.params);
        single.set(0, vector);
        return single;
      }),
    );
  }

  delete(slot) {
    this.#held.delete(slot);
  }

  get(slot) {
    return this.#held.get(slot)?.map((single) => single.get(0));
  }

  score(slot, query) {
    const held = this.#held.get(slot);
    return held && Math.fround(query.reduce((sum, asked) => sum + Math.max(...held.map((single) => single.score(0, asked))), 0));
  }
}
