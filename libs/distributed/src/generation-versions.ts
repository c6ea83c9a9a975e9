import type { Journal } from '@palimpsest/contracts';
import { NotFound, partitionKey, scopeStream } from '@palimpsest/knowledge';
import type { EmbeddingVersion, IndexPartition } from '@palimpsest/knowledge';

/** Which embedding version a generation has: for ever the one that it was started with, so it is asked of the log once. */
export const generationVersions = (journal: Journal): ((partition: IndexPartition) => Promise<EmbeddingVersion>) => {
  const known = new Map<string, EmbeddingVersion>();
  return async (partition) => {
    const key = partitionKey(partition);
    const version = known.get(key) ?? (await startedWith(journal, partition));
    known.set(key, version);
    return version;
  };
};

/** @throws NotFound */
const startedWith = async (journal: Journal, { scope, generation }: IndexPartition): Promise<EmbeddingVersion> => {
  for await (const { event } of journal.readStream(scopeStream(scope)))
    if (event.type === 'GenerationStarted' && event.data.generation === generation) return event.data.embeddingVersion;
  throw new NotFound('generation', `${scope.scope}/${generation}`);
};
