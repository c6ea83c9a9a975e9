import { authorise } from '@palimpsest/knowledge/access';
import { partitionKey, type Catalog, type LexicalIndex, type VectorIndex } from '@palimpsest/knowledge/read-models';
import { SCOPE } from '@palimpsest/test-kit/histories';

export type Stores = Readonly<{ catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex }>;

export const READER = authorise({ tenant: SCOPE.tenant, teams: ['*'], roles: ['reader'], actor: 'spec' }, [SCOPE.scope]);

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Everything in the read models except their positions. */
export const stateOf = async ({ catalog, vectors, lexical }: Stores) => {
  const { items: documents } = await catalog.documents(READER, { limit: 1_000 });
  const entries = async (index: VectorIndex | LexicalIndex) => {
    const partitions = await Promise.all(
      (await index.partitions()).map(async (partition) => [partitionKey(partition), await all(index.entries(partition))] as const),
    );
    // To readers, an empty partition and a missing one are the same.
    return Object.fromEntries(partitions.filter(([, held]) => held.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return {
    vectors: await entries(vectors),
    lexical: await entries(lexical),
    scopes: await catalog.scopes(),
    knowledgeBases: await catalog.knowledgeBases(READER),
    documents,
    versions: await Promise.all(documents.map(({ documentId }) => catalog.versions(READER, documentId))),
    chunks: await Promise.all(
      documents.map(async ({ documentId }) =>
        (await catalog.chunksOf(READER, documentId, { limit: 1_000 })).items.map(({ sealedText: _sealed, ...chunk }) => chunk),
      ),
    ),
    hashes: await all(catalog.contentHashes(SCOPE)),
  };
};
