import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import type { Cluster } from '../nodes/cluster.ts';
import type { Client, Fleet } from '../workload/client.ts';
import type { ClientDocument, ClientTenant } from '../workload/tenant.ts';
import type { ReferenceModel } from './reference-model.ts';

const QUEUES = [
  [TOPICS.ingestion, GROUPS.ingestion],
  [TOPICS.reembedding, GROUPS.reembedding],
  [TOPICS.retrieval, GROUPS.retrieval],
] as const;
/** Words that are searched for at the end, at most. */
const SEARCHED = 8;

/** What is not done yet; undefined if nothing is. */
export const unfinished = async ({ bus, log }: Cluster, fleet: Fleet): Promise<string | undefined> => {
  const nodes = [...fleet.ingestion, ...fleet.query, ...fleet.reembedding];
  const head = await log.head();
  for (const { name, running } of nodes) {
    if (running === undefined) return `${name} does not run`;
    if (running.runner.position() !== head || !running.runner.serving()) return `${name} is at ${running.runner.position()} of ${head}`;
  }
  for (const [topic, group] of QUEUES) if (bus.lag(topic, group) > 0) return `${bus.lag(topic, group)} messages are waiting on ${topic}`;
  const waiting = new Set<string>();
  for await (const { type, data } of log.readAll({
    types: ['DocumentSubmitted', 'DocumentIndexed', 'DocumentFailed', 'DocumentDeleted'],
  })) {
    if (type === 'DocumentSubmitted') waiting.add(String(data['documentId']));
    else waiting.delete(String(data['documentId']));
  }
  if (waiting.size > 0) return `${waiting.size} documents were submitted and are not processed`;
  const building = new Set<string>();
  for await (const { type, data, metadata } of log.readAll({ types: ['GenerationStarted', 'GenerationActivated'] })) {
    const key = `${String(metadata['tenant'])}/${String(data['generation'])}`;
    if (type === 'GenerationStarted') building.add(key);
    else building.delete(key);
  }
  return building.size > 0 ? `${[...building].join(', ')} is being built` : undefined;
};

/** What was acknowledged is there, what was deleted is gone, and all work reached the bus. */
export const checkLog = async (cluster: Cluster, tenants: readonly ClientTenant[], reference: ReferenceModel): Promise<void> => {
  for (const wrong of reference.malformed) cluster.violation(`the log is malformed: ${wrong}`);
  for (const { documents } of tenants) for (const document of documents) checkDocument(cluster, document, reference);
  for (const { message, error } of cluster.bus.deadLetters) cluster.violation(`the bus dead-lettered ${message.id}: ${error}`);
  for await (const { id, type, data } of cluster.log.readAll({ types: ['DocumentSubmitted', 'GenerationStarted'] })) {
    const topic = type === 'DocumentSubmitted' ? TOPICS.ingestion : TOPICS.reembedding;
    // A swap has one message for each range of documents; the first generation of a scope has one message.
    const ids =
      type === 'DocumentSubmitted' || data['generation'] === 'g1'
        ? [id]
        : Array.from({ length: DOCUMENT_RANGES }, (_, range) => `${id}/${range}`);
    if (!ids.every((one) => cluster.bus.published.get(topic)?.has(one))) cluster.violation(`the relay did not publish ${type} ${id}`);
  }
};

const checkDocument = (cluster: Cluster, { id, tenant, source, current }: ClientDocument, { documents }: ReferenceModel): void => {
  const found = id === undefined ? undefined : documents.get(`${tenant}/${id}`);
  const words = found?.chunks.map((chunk) => found.texts.get(chunk)?.trim().split(/\s+/).at(-1));
  const [is, should] = [found?.status === 'indexed' ? words?.join(' ') : found?.status, current?.words.join(' ')];
  if (should === undefined ? found !== undefined && found.status !== 'deleted' : is !== should)
    cluster.violation(`${tenant}/${source} is [${is}], but it was acknowledged as [${should ?? 'deleted'}]`);
};

/** Every word of a document is found by its owner, and no other is. */
export const checkSearches = async (cluster: Cluster, fleet: Fleet, client: Client, tenants: readonly ClientTenant[]): Promise<void> => {
  const { prng } = cluster.world;
  const all = tenants.flatMap(({ documents }) =>
    documents.flatMap((document) => [...document.everSubmitted].map((word) => ({ document, word }))),
  );
  for (let i = 0; i < Math.min(SEARCHED, all.length); i++) {
    const { document, word } = prng.pick(all);
    const node = prng.pick(fleet.query);
    const hits = await client.search(node, document.access, word);
    if (hits === undefined) cluster.violation(`${node.name} does not answer a search`);
    const isFound = hits?.some(({ text, documentId }) => documentId === document.id && text.includes(word)) === true;
    if (isFound !== (document.current?.words.includes(word) === true))
      cluster.violation(`${node.name} ${isFound ? 'finds' : 'does not find'} "${word}" of ${document.tenant}/${document.source}`);
  }
};
