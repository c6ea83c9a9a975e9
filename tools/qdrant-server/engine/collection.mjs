import { DenseVectors } from './dense-vectors.mjs';
import { MultiVectors } from './multi-vectors.mjs';
import { KeywordIndex } from './keyword-index.mjs';
import { parsePath } from './payload-path.mjs';
import { compareIds } from './point-ids.mjs';
import { badFormat, isSet, wrongInput } from './refusal.mjs';
import { SparseVectors } from './sparse-vectors.mjs';

/** Points of one collection in memory: each in a slot, with its vectors by name. */
export class Collection {
  #slots = new Map();
  #free = [];
  #next = 0;
  #points = [];
  #vectors = new Map();
  #indexes = new Map();
  #ordered;

  constructor(name, config) {
    this.name = name;
    this.config = config;
    for (const [vector, params] of Object.entries(config.vectors))
      this.#vectors.set(vector, params.multivector_config ? new MultiVectors(params) : new DenseVectors(params));
    for (const [vector, params] of Object.entries(config.sparse_vectors)) this.#vectors.set(vector, new SparseVectors(params));
    for (const key of Object.keys(config.payload_schema)) this.#openIndex(key);
  }

  get size() {
    return this.#slots.size;
  }

  vectorsNamed(name) {
    const vectors = this.#vectors.get(name ?? '');
    if (vectors === undefined) throw wrongInput(`Not existing vector name error: ${name ?? ''}`);
    return vectors;
  }

  /** `vector` of a request as a map from names to the stored form. */
  readVectors(raw) {
    if (Array.isArray(raw)) return { '': this.vectorsNamed('').read(raw) };
    if (typeof raw !== 'object' || raw === null) throw badFormat('missing field `vector`');
    return Object.fromEntries(Object.entries(raw).map(([name, vector]) => [name, this.vectorsNamed(name).read(vector)]));
  }

  get(id) {
    return this.at(this.#slots.get(id));
  }

  at(slot) {
    return slot === undefined ? undefined : this.#points[slot];
  }

  vectorsOf({ slot }, names = [...this.#vectors.keys()]) {
    return Object.fromEntries(names.map((name) => [name, this.vectorsNamed(name).get(slot)]).filter(([, vector]) => vector !== undefined));
  }

  set(id, { payload, vectors }) {
    this.delete(id);
    const slot = this.#free.pop() ?? this.#next++;
    this.#slots.set(id, slot);
    this.#points[slot] = { id, slot, payload };
    for (const [name, vector] of Object.entries(vectors)) this.#vectors.get(name).set(slot, vector);
    for (const index of this.#indexes.values()) index.add(slot, payload);
    this.#ordered = undefined;
  }

  delete(id) {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    for (const vectors of this.#vectors.values()) vectors.delete(slot);
    for (const index of this.#indexes.values()) index.remove(slot, this.#points[slot].payload);
    this.#slots.delete(id);
    this.#points[slot] = undefined;
    this.#free.push(slot);
    this.#ordered = undefined;
  }

  index(key, schema) {
    this.config.payload_schema[key] = schema;
    this.#openIndex(key);
  }

  unindex(key) {
    delete this.config.payload_schema[key];
    this.#indexes.delete(key);
  }

  /** Points that satisfy a compiled filter, found through an index where possible; in no order. */
  *matching(filter) {
    const answered = filter.alone && this.#indexes.has(filter.keywords[0].key);
    if (answered) yield* this.#candidates(filter);
    else for (const point of this.#candidates(filter)) if (point !== undefined && filter.test(point)) yield point;
  }

  /** The same, by id. */
  ordered(filter) {
    const narrow = filter.ids !== undefined || filter.keywords.some(({ key }) => this.#indexes.has(key));
    if (narrow) return [...this.matching(filter)].sort((a, b) => compareIds(a.id, b.id));
    this.#ordered ??= this.#points.filter((point) => point !== undefined).sort((a, b) => compareIds(a.id, b.id));
    return this.#ordered.filter((point) => filter.test(point));
  }

  #candidates({ ids, keywords }) {
    if (ids !== undefined) return ids.map((id) => this.get(id));
    const sets = keywords.filter(({ key }) => this.#indexes.has(key)).map(({ key, values }) => this.#indexes.get(key).slots(values));
    if (sets.length === 0) return this.#points;
    return Array.from(
      sets.reduce((a, b) => (b.size < a.size ? b : a)),
      (slot) => this.#points[slot],
    );
  }

  #openIndex(key) {
    const schema = this.config.payload_schema[key];
    if ((schema.type ?? schema) !== 'keyword') return;
    const index = new KeywordIndex(parsePath(key));
    for (const point of this.#points) if (isSet(point)) index.add(point.slot, point.payload);
    this.#indexes.set(key, index);
  }
}
