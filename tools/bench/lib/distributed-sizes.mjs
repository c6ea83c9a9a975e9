import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { QdrantClient } from '@qdrant/js-client-rest';
import { openLogOf } from './distributed-setup.mjs';

/** The sizes of an installation's data, for the calculations in `docs/explanation/scale.md`. */

const SAMPLE = 500;

const bytesBelow = async (folder, wanted = () => true) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(wanted);
  const each = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return each.reduce((sum, size) => sum + size, 0);
};

/** Events and bytes by type: data and metadata as JSON, names of stream and type. Without the overhead of the server. */
const logSizes = async (log) => {
  const [types, streams] = [new Map(), new Set()];
  let sealed = 0;
  for await (const { type, stream, data, metadata } of log.readAll()) {
    const sum = types.get(type) ?? types.set(type, { events: 0, data: 0, names: 0 }).get(type);
    sum.events += 1;
    sum.data += Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata));
    sum.names += Buffer.byteLength(stream) + type.length;
    sealed += type === 'KnowledgeChunkIndexed' ? data.sealedVector.length : 0;
    streams.add(stream);
  }
  return { types, streams: streams.size, vectors: sealed };
};

/** Mean size of a point's payload as JSON, in the collection with the vectors of the installation. */
const payloadBytes = async ({ qdrant }, { namespace }) => {
  const client = new QdrantClient({ url: qdrant.address, checkCompatibility: false });
  const { collections } = await client.getCollections();
  const rows = [];
  for (const { name } of collections.filter(({ name }) => name.startsWith(`${namespace}-`))) {
    const { count } = await client.count(name, { exact: true });
    const { points } = await client.scroll(name, { limit: SAMPLE, with_payload: true, with_vector: false });
    const bytes = points.reduce((sum, { payload }) => sum + Buffer.byteLength(JSON.stringify(payload)), 0);
    rows.push({
      name: name.slice(namespace.length + 1),
      count,
      bytes: points.length === 0 ? 0 : bytes / points.length,
      tags: points[0]?.payload?.has?.length ?? 0,
    });
  }
  return rows;
};

export const sizes = async (servers, services, folder) => {
  const log = await openLogOf(servers, services);
  const { types, streams, vectors } = await logSizes(log);
  await log.close();
  const { documents, chunks } = await services.client.ask('GET', '/v1/status');
  const all = [...types.values()].reduce(
    (sum, { events, data, names }) => ({ events: sum.events + events, data: sum.data + data, names: sum.names + names }),
    { events: 0, data: 0, names: 0 },
  );
  console.log(
    `  sizes: ${documents.indexed} documents, ${chunks} chunks; ${all.events} events in ${streams} streams, ${all.data} bytes of data and metadata, ${all.names} of names; ${(all.data / chunks).toFixed(0)} bytes and ${(all.events / chunks).toFixed(3)} events per chunk; sealed vectors ${vectors} bytes`,
  );
  for (const [type, { events, data, names }] of types)
    console.log(
      `    ${type.padEnd(28)} ${String(events).padStart(6)} events, ${(data / events).toFixed(0)} bytes each, names ${(names / events).toFixed(0)}`,
    );
  for (const { name, count, bytes, tags } of await payloadBytes(servers, services))
    console.log(`    Qdrant ${name}: ${count} points, payload ${bytes.toFixed(0)} bytes each, ${tags} filter tokens`);
  const state = join(folder, 'query-0');
  const [catalog, wal, lexical] = await Promise.all([
    bytesBelow(state, (file) => file.endsWith('/catalog.db')),
    bytesBelow(state, (file) => file.endsWith('/catalog.db-wal')),
    bytesBelow(join(state, 'lexical')),
  ]);
  console.log(
    `    a replica's catalog ${catalog} bytes, ${(catalog / chunks).toFixed(0)} per chunk (and ${wal} of write-ahead log); BM25 ${lexical} bytes, ${(lexical / chunks).toFixed(0)} per chunk`,
  );
};
