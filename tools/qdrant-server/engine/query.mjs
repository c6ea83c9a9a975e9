import { compileFilter } from './filter.mjs';
import { compareIds, pointId } from './point-ids.mjs';
import { badFormat, invalid, isSet, noCollection, onlyFields, wrongInput } from './refusal.mjs';

const FIELDS = [
  'query',
  'prefetch',
  'using',
  'filter',
  'params',
  'score_threshold',
  'limit',
  'offset',
  'with_payload',
  'with_vector',
  'lookup_from',
];
const PREFETCH = ['query', 'prefetch', 'using', 'filter', 'params', 'score_threshold', 'limit', 'lookup_from'];

const whole = (value, fallback, min, name) => {
  if (!isSet(value)) return fallback;
  if (!Number.isInteger(value)) throw badFormat(`${name}: expected usize`);
  if (value < min) throw invalid(`${name}: value ${value} invalid, must be ${min} or larger`);
  return value;
};

/** The points of one query, best first, as `{ point, score }`. */
export const query = (collection, body, engine, known = FIELDS) => {
  onlyFields(body, 'query', known);
  if (isSet(body.params)) onlyFields(body.params, 'params', ['exact', 'hnsw_ef', 'quantization', 'indexed_only', 'idf']);
  const limit = whole(body.limit, 10, 1, 'limit');
  const offset = whole(body.offset, 0, 0, 'offset');
  const from = isSet(body.prefetch) ? [body.prefetch].flat().map((inner) => query(collection, inner, engine, PREFETCH)) : [];
  const found = run(collection, body, from, engine);
  const { score_threshold: threshold } = body;
  const kept = isSet(threshold)
    ? found.hits.filter(({ score }) => (found.ascending ? score <= threshold : score >= threshold))
    : found.hits;
  return kept.slice(offset, offset + limit);
};

const run = (collection, body, from, engine) => {
  const asked = body.query;
  if (!isSet(asked)) throw badFormat('query: scrolling by query is not supported by this test server');
  const k = asked.fusion === 'rrf' ? 2 : isSet(asked.rrf) ? (onlyFields(asked.rrf, 'rrf', ['k']).k ?? 2) : undefined;
  if (k !== undefined) {
    if (from.length === 0) throw wrongInput('A fusion query needs at least one prefetch');
    return { hits: fused(from, k) };
  }
  const filter = compileFilter(body.filter);
  const among = from.length === 0 ? undefined : new Set(from.flat().map(({ point }) => point.slot));
  const test = (point) => (among?.has(point.slot) ?? true) && filter.test(point);
  const vectors = collection.vectorsNamed(body.using);
  const vector = queryVector(collection, vectors, asked, body, engine);
  if (vector.indices !== undefined) return { hits: sparse(collection, vectors, vector, test, corpusOf(collection, body.params?.idf)) };
  const narrowed = among === undefined ? filter : { ...filter, test, alone: false };
  return { hits: dense(collection, vectors, vector, narrowed), ascending: vectors.distance === 'Euclid' };
};

const queryVector = (collection, vectors, asked, body, engine) => {
  const raw = asked.nearest ?? asked;
  if (Array.isArray(raw) || isSet(raw.indices)) return vectors.read(raw);
  const id = pointId(raw);
  const { collection: other, vector: name } = isSet(body.lookup_from)
    ? onlyFields(body.lookup_from, 'lookup_from', ['collection', 'vector'])
    : {};
  const source = other === undefined ? collection : engine.find(other);
  if (source === undefined) throw noCollection(other);
  const point = source.get(id);
  const held = point && source.vectorsNamed(name ?? body.using).get(point.slot);
  if (held === undefined) throw wrongInput(`Not found: No point with id ${id} found`);
  return held;
};

/** Equal scores have no meaningful order. */
const dense = (collection, vectors, vector, filter) => {
  const hits = [];
  for (const point of collection.matching(filter)) {
    const score = vectors.score(point.slot, vector);
    if (score !== undefined) hits.push({ point, score });
  }
  return hits.sort(vectors.distance === 'Euclid' ? (a, b) => a.score - b.score : (a, b) => b.score - a.score);
};

/** The slots over which frequencies of words are counted; nothing for all. */
const corpusOf = (collection, idf) => {
  if (!isSet(idf) || idf === 'global') return undefined;
  return Array.from(collection.matching(compileFilter(onlyFields(idf, 'idf', ['corpus']).corpus)), ({ slot }) => slot);
};

const sparse = (collection, vectors, vector, test, corpus) => {
  const hits = [];
  for (const [slot, score] of vectors.scores(vector, corpus)) {
    const point = collection.at(slot);
    if (test(point)) hits.push({ point, score });
  }
  return hits.sort((a, b) => b.score - a.score);
};

/** Reciprocal rank fusion: 1 / (k + rank), ranks from 0. */
const fused = (lists, k) => {
  const scores = new Map();
  for (const list of lists)
    list.forEach(({ point }, rank) => scores.set(point, Math.fround((scores.get(point) ?? 0) + Math.fround(1 / (k + rank)))));
  return [...scores].map(([point, score]) => ({ point, score })).sort((a, b) => b.score - a.score || compareIds(a.point.id, b.point.id));
};
