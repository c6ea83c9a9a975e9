import { setTimeout as sleep } from 'node:timers/promises';
import { badFormat, onlyFields, Refusal } from './engine/refusal.mjs';
import { count, queryPoints, retrieve, scroll } from './point-reads.mjs';
import { deletePayload, overwritePayload, remove, setPayload, upsert } from './point-updates.mjs';

const VERSION = '1.19.0';
/** Delay until an update without `wait` is visible: long enough to disturb code that relies on it. */
const UNWAITED_MS = 30;

/** @returns {Promise<{ result: unknown } | { plain: unknown }>} */
export const route = async (engine, method, url, body) => {
  const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const [root, name, ...rest] = parts;
  if (root === '') return { plain: { title: 'qdrant - vector search engine', version: VERSION, commit: 'test-server' } };
  if (['healthz', 'readyz', 'livez'].includes(root)) return { plain: `${root} check passed` };
  if (root === 'aliases') return { result: { aliases: aliases(engine) } };
  if (root !== 'collections') throw new Refusal(404, '');
  if (name === undefined) return { result: { collections: engine.names().map((one) => ({ name: one })) } };
  if (name === 'aliases' && method === 'POST')
    return { result: (engine.changeAliases(onlyFields(body, 'aliases', ['actions']).actions), true) };
  if (rest.length === 0) return { result: ofCollection(engine, method, name, body) };
  const key = `${method} ${rest.join('/')}`;
  if (key === 'GET exists') return { result: { exists: engine.find(name) !== undefined } };
  if (key === 'GET aliases') return { result: { aliases: aliases(engine).filter((one) => one.collection_name === name) } };
  if (key === 'PUT index')
    return { result: done(engine.index(name, onlyFields(body, 'index', ['field_name', 'field_schema']).field_name, body.field_schema)) };
  if (method === 'DELETE' && rest[0] === 'index') return { result: done(engine.unindex(name, rest[1])) };
  if (Object.hasOwn(UPDATES, key)) return { result: await update(engine, name, UPDATES[key](checked(body)), url.searchParams) };
  if (Object.hasOwn(READS, key)) return { result: READS[key](engine.collection(name), checked(body), engine) };
  throw new Refusal(404, `Not found: ${method} ${url.pathname} (not supported by this test server)`);
};

const UPDATES = {
  'PUT points': upsert,
  'POST points/delete': remove,
  'POST points/payload': setPayload,
  'PUT points/payload': overwritePayload,
  'POST points/payload/delete': deletePayload,
};
const READS = {
  'POST points': retrieve,
  'POST points/scroll': scroll,
  'POST points/count': count,
  'POST points/query': queryPoints,
  'POST points/query/batch': (collection, { searches }, engine) => searches.map((body) => queryPoints(collection, body, engine)),
};

let operations = 0;
const done = () => ({ operation_id: operations++, status: 'completed' });

const update = async (engine, name, decide, options) => {
  engine.collection(name);
  if (options.get('wait') === 'true') return done(await engine.update(name, decide));
  void sleep(UNWAITED_MS)
    .then(() => engine.update(name, decide))
    .catch(() => undefined);
  return { operation_id: operations++, status: 'acknowledged' };
};

const ofCollection = (engine, method, name, body) => {
  if (method === 'PUT') return (engine.create(name, checked(body)), true);
  if (method === 'DELETE') return engine.drop(name);
  if (method !== 'GET') throw new Refusal(404, `Not found: ${method} on a collection (not supported by this test server)`);
  const { size, config } = engine.collection(name);
  const payloadIndexes = Object.entries(config.payload_schema).map(([key, schema]) => [
    key,
    { data_type: schema.type ?? schema, points: size, ...(schema.type && { params: schema }) },
  ]);
  return {
    status: 'green',
    optimizer_status: 'ok',
    points_count: size,
    indexed_vectors_count: 0,
    segments_count: 1,
    config: { params: { vectors: config.vectors, sparse_vectors: config.sparse_vectors }, ...config.tuning },
    payload_schema: Object.fromEntries(payloadIndexes),
  };
};

const aliases = (engine) => engine.aliases().map(([alias, collection]) => ({ alias_name: alias, collection_name: collection }));

const checked = (body) => {
  if (typeof body !== 'object' || body === null) throw badFormat('EOF while parsing a value');
  return body;
};
