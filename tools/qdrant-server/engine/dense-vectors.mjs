import { badFormat, wrongInput } from './refusal.mjs';

/** All vectors of one name, contiguous in memory. */
export class DenseVectors {
  #data = new Float32Array(0);
  #held = new Uint8Array(0);

  constructor({ size, distance }) {
    this.size = size;
    this.distance = distance;
  }

  /** In the stored form: float32, of length 1 for Cosine. */
  read(raw) {
    if (!Array.isArray(raw) || !raw.every((value) => typeof value === 'number'))
      throw badFormat('data did not match any variant of untagged enum VectorStruct');
    if (raw.length !== this.size) throw wrongInput(`Vector dimension error: expected dim: ${this.size}, got ${raw.length}`);
    const vector = Float32Array.from(raw);
    if (this.distance !== 'Cosine') return vector;
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return length < 1e-7 ? vector : vector.map((value) => value / length);
  }

  set(slot, vector) {
    if (slot >= this.#held.length) this.#grow(slot === 0 ? 1 : Math.max(64, 2 * slot));
    this.#held[slot] = 1;
    this.#data.set(vector, slot * this.size);
  }

  delete(slot) {
    if (slot < this.#held.length) this.#held[slot] = 0;
  }

  get(slot) {
    return this.#held[slot] === 1 ? this.#data.subarray(slot * this.size, (slot + 1) * this.size) : undefined;
  }

  /** The score of the vector at `slot`; undefined if there is none. Bigger is better, except for Euclid. */
  score(slot, query) {
    if (this.#held[slot] !== 1) return undefined;
    return this.distance === 'Euclid' ? this.#euclid(slot * this.size, query) : this.#dot(slot * this.size, query);
  }

  #dot(at, query) {
    const data = this.#data;
    const size = this.size;
    let a = 0,
      b = 0,
      c = 0,
      d = 0,
      i = 0;
    for (; i + 3 < size; i += 4) {
      a += data[at + i] * query[i];
      b += data[at + i + 1] * query[i + 1];
      c += data[at + i + 2] * query[i + 2];
      d += data[at + i + 3] * query[i + 3];
    }
    for (; i < size; i++) a += data[at + i] * query[i];
    return Math.fround(a + b + (c + d));
  }

  #euclid(at, query) {
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += (this.#data[at + i] - query[i]) ** 2;
    return Math.fround(Math.sqrt(sum));
  }

  #grow(slots) {
    const data = new Float32Array(slots * this.size);
    const held = new Uint8Array(slots);
    data.set(this.#data);
    held.set(this.#held);
    [this.#data, this.#held] = [data, held];
  }
}
