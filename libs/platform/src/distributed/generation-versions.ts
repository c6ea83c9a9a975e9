import type { Journal } from '@palimpsest/contracts';
import { scopeStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';

/** Looks up the embedding version of a generation. It never changes, so it is read from the log once and cached. */
export const generationVersions = (journal: Journal): ((partition: IndexPartition) => Promise<EmbeddingVersion>) => {
  const known = new Map<string, EmbeddingVersion>();
  return async (partition) => {
    const key = partitionKey(partition);
    const version = known.get(key) ?? (await readVersion(journal, partition));
    known.set(key, version);
    return version;
  };
};

/** @throws NotFound */
const readVersion = async (journal: Journal, { scope, generation }: IndexPartition): Promise<EmbeddingVersion> => {
  for await (const { event } of journal.readStream(scopeStream(scope)))
    if (event.type === 'GenerationStarted' && event.data.generation === generation) return event.data.recipe.embedding.version;
  throw new NotFound('generation', `${scope.scope}/${generation}`);
};
