import { authorise } from '@palimpsest/knowledge/access';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId } from '@palimpsest/knowledge/values';
import type { Cluster } from '../nodes/cluster.ts';
import type { SimulatedNode } from '../nodes/node.ts';
import { SCOPE, type ClientTenant } from '../workload/tenant.ts';
import type { ReferenceDocument, ReferenceModel } from './reference-model.ts';

const MAX_DOCUMENTS = 1_000;

const compare = (cluster: Cluster, what: string, actual: readonly string[], expected: readonly string[]): void => {
  const [one, other] = [[...actual].sort().join('\n'), [...expected].sort().join('\n')];
  if (one !== other) cluster.violation(`${what}: there is [${one.replaceAll('\n', ', ')}], expected [${other.replaceAll('\n', ', ')}]`);
};

/** Compares what a process has on its disk with the reference model. */
export const checkReadModels = async (
  cluster: Cluster,
  node: Pick<SimulatedNode, 'name' | 'disk'>,
  { access }: ClientTenant,
  reference: ReferenceModel,
): Promise<void> => {
  const { catalog, vectors, lexical } = node.disk.current;
  const scope = { tenant: access.tenant, scope: SCOPE };
  const documents = reference.documentsOf(scope);
  const of = `${node.name}, ${access.tenant}`;
  const listed = await catalog.documents(authorise(access, [SCOPE]), { limit: MAX_DOCUMENTS });
  compare(
    cluster,
    `${of}: documents of the catalog`,
    listed.items.map(
      ({ sourceId, version, status, indexedVersion, chunks }) => `${sourceId} ${version} ${status} ${indexedVersion} ${chunks}`,
    ),
    documents.map(
      ({ source, version, status, indexedVersion, chunks }) => `${source} ${version} ${status} ${indexedVersion} ${chunks.length}`,
    ),
  );
  const hashes: string[] = [];
  for await (const { chunkId } of catalog.contentHashes(scope)) hashes.push(chunkId);
  compare(
    cluster,
    `${of}: chunks of the catalog`,
    hashes,
    documents.flatMap(({ chunks }) => chunks),
  );
  for (const { id, version, status } of reference.generationsOf(scope)) {
    const partition: IndexPartition = { scope, generation: generationId(id) };
    const expected = status === 'retired' ? [] : documents.flatMap((document) => entriesOf(document, version));
    const words = lexical.puts(partition).map(({ chunkId, text }) => `${chunkId} ${lastWordOf(text)}`);
    compare(cluster, `${of}: words of ${id}`, words, expected);
    const ids = expected.map((entry) => entry.split(' ')[0] ?? '');
    compare(
      cluster,
      `${of}: vectors of ${id}`,
      vectors.puts(partition).map(({ chunkId }) => chunkId),
      ids,
    );
    if (status === 'active')
      compare(
        cluster,
        `${of}: chunks of the active generation ${id}`,
        ids,
        documents.flatMap(({ chunks }) => chunks),
      );
  }
};

const entriesOf = ({ chunks, texts, vectors }: ReferenceDocument, version: string): readonly string[] =>
  chunks.filter((id) => vectors.get(id)?.has(version) === true).map((id) => `${id} ${lastWordOf(texts.get(id) ?? '')}`);

/** The word that identifies a section. */
const lastWordOf = (text: string): string => text.trim().split(/\s+/).at(-1) ?? '';
