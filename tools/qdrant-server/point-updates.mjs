import { compileFilter } from './engine/filter.mjs';
import { pointId } from './engine/point-ids.mjs';
import { badFormat, isSet, onlyFields, wrongInput } from './engine/refusal.mjs';

/** For each kind of update: turns the body of a request into a function from a collection to its changes. */

export const upsert = (body) => {
  const { points, batch, update_filter: condition } = onlyFields(body, 'points', ['points', 'batch', 'update_filter']);
  const filter = compileFilter(condition);
  const given = points ?? listOf(batch);
  if (!Array.isArray(given)) throw badFormat('data did not match any variant of untagged enum PointInsertOperations');
  return (collection) => {
    const read = given.map((raw) => {
      const { id, vector, payload } = onlyFields(raw, 'point', ['id', 'vector', 'payload']);
      return { id: pointId(id), point: { payload: payloadOf(payload), vectors: collection.readVectors(vector) } };
    });
    return read.filter(({ id }) => {
      const held = collection.get(id);
      return held === undefined || filter.test(held);
    });
  };
};

const listOf = (batch) => {
  const { ids, vectors, payloads } = onlyFields(batch, 'batch', ['ids', 'vectors', 'payloads']);
  const vector = (i) =>
    Array.isArray(vectors) ? vectors[i] : Object.fromEntries(Object.entries(vectors).map(([name, list]) => [name, list[i]]));
  return ids.map((id, i) => ({ id, vector: vector(i), payload: payloads?.[i] }));
};

const payloadOf = (raw) => {
  if (!isSet(raw)) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw badFormat('payload: expected a map');
  return raw;
};

/** Points by `points` or `filter`. */
const selected = (body, known) => {
  const { points, filter } = onlyFields(body, 'selector', ['points', 'filter', ...known]);
  if (isSet(points) === isSet(filter)) throw wrongInput('Expected one of points and filter');
  if (isSet(filter)) {
    const compiled = compileFilter(filter);
    return (collection) => [...collection.matching(compiled)];
  }
  const ids = points.map(pointId);
  return (collection) => ids.map((id) => collection.get(id)).filter(isSet);
};

export const remove = (body) => {
  const select = selected(body, []);
  return (collection) => select(collection).map(({ id }) => ({ id }));
};

const changePayload = (body, known, change) => {
  const select = selected(body, known);
  return (collection) =>
    select(collection).map((point) => ({
      id: point.id,
      point: { payload: change(point.payload), vectors: copied(collection.vectorsOf(point)) },
    }));
};

/** The slot's memory is reused when the point is set again. */
const copied = (vectors) =>
  Object.fromEntries(Object.entries(vectors).map(([name, vector]) => [name, vector.indices === undefined ? vector.slice() : vector]));

export const setPayload = (body) => changePayload(body, ['payload'], (held) => ({ ...held, ...payloadOf(body.payload) }));
export const overwritePayload = (body) => changePayload(body, ['payload'], () => payloadOf(body.payload));
export const deletePayload = (body) =>
  changePayload(body, ['keys'], (held) => Object.fromEntries(Object.entries(held).filter(([key]) => !body.keys.includes(key))));
