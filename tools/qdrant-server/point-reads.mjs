import { compileFilter } from './engine/filter.mjs';
import { selectPayload } from './engine/payload-path.mjs';
import { compareIds, pointId } from './engine/point-ids.mjs';
import { query } from './engine/query.mjs';
import { badFormat, invalid, isSet, onlyFields } from './engine/refusal.mjs';

/** A point as it is returned. */
const shown = (collection, withPayload, withVector) => {
  const select = selectPayload(withPayload);
  const names = Array.isArray(withVector) ? withVector : undefined;
  return (point) => {
    const payload = select(point.payload);
    const vectors = withVector === true || names !== undefined ? vectorsShown(collection.vectorsOf(point, names)) : undefined;
    return { id: point.id, ...(payload !== undefined && { payload }), ...(vectors !== undefined && { vector: vectors }) };
  };
};

const vectorShown = (vector) =>
  vector.indices !== undefined
    ? vector
    : Array.isArray(vector)
      ? vector.map((one) => Array.from(one, shortest))
      : Array.from(vector, shortest);

const vectorsShown = (vectors) => {
  const entries = Object.entries(vectors).map(([name, vector]) => [name, vectorShown(vector)]);
  const [only] = entries;
  return entries.length === 1 && only[0] === '' ? only[1] : Object.fromEntries(entries);
};

/** float32 as the real server writes it: with the fewest digits that read as the same float32 (nine always suffice). */
const shortest = (value) => Number(value.toPrecision(9));

export const retrieve = (collection, body) => {
  const { ids, with_payload: payload = true, with_vector: vector } = onlyFields(body, 'request', ['ids', 'with_payload', 'with_vector']);
  if (!Array.isArray(ids)) throw badFormat('missing field `ids`');
  return [...new Set(ids.map(pointId))]
    .map((id) => collection.get(id))
    .filter(isSet)
    .map(shown(collection, payload, vector));
};

export const scroll = (collection, body) => {
  const {
    filter,
    limit = 10,
    offset,
    with_payload: payload = true,
    with_vector: vector,
  } = onlyFields(body, 'request', ['filter', 'limit', 'offset', 'with_payload', 'with_vector']);
  if (!Number.isInteger(limit)) throw badFormat('limit: expected usize');
  if (limit < 1) throw invalid(`limit: value ${limit} invalid, must be 1 or larger`);
  const from = isSet(offset) ? pointId(offset) : undefined;
  const points = collection.ordered(compileFilter(filter)).filter(({ id }) => from === undefined || compareIds(id, from) >= 0);
  return { points: points.slice(0, limit).map(shown(collection, payload, vector)), next_page_offset: points[limit]?.id ?? null };
};

export const count = (collection, body) => {
  const { filter } = onlyFields(body, 'request', ['filter', 'exact']);
  let matching = 0;
  for (const _ of collection.matching(compileFilter(filter))) matching++;
  return { count: matching };
};

export const queryPoints = (collection, body, engine) => {
  const show = shown(collection, body.with_payload, body.with_vector);
  return { points: query(collection, body, engine).map(({ point, score }) => ({ version: 0, score: shortest(score), ...show(point) })) };
};
