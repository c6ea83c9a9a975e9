import { pause, type Scheduler, type SeededRandom } from '@palimpsest/foundation';
import { documentStream } from '@palimpsest/knowledge/deciders';
import type { Journal } from '@palimpsest/contracts';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { Catalog, VectorIndex } from '@palimpsest/knowledge/read-models';
import { chunkListOf, type ChunkId } from '@palimpsest/knowledge/values';
import { Reservoir } from './sample-texts.ts';

export type CoveragePorts = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'contentHashes' | 'chunks'>;
  vectors: Pick<VectorIndex, 'entries'>;
  scheduler: Scheduler;
}>;

export type RefusedChunk = Readonly<{ chunkId: ChunkId; reason: string }>;
/** `sample`: ids drawn from all chunks, each with the same chance, in random order. */
export type Coverage = Readonly<{
  chunks: number;
  refused: readonly RefusedChunk[];
  unexplained: readonly ChunkId[];
  sample: readonly ChunkId[];
}>;

/** Services write vectors for each other, so a vector may arrive shortly after the event of its chunk. */
const PASSES = 10;
const BETWEEN_MS = 1_000;
const PAGE = 100;

/**
 * Compares the ids of all chunks in the chunk list of a generation with the ids in its index, both in order, so that memory does not
 * grow with the scope. A chunk without a vector is explained by the event that says why the model refused it.
 */
export const checkCoverage = async (
  ports: CoveragePorts,
  scope: PermittedScope,
  generation: Generation,
  { size, random, signal }: Readonly<{ size: number; random: SeededRandom; signal: AbortSignal }>,
): Promise<Coverage> => {
  for (let pass = 1; ; pass++) {
    const found = await onePass(ports, scope, generation, size, random);
    const refused = await reasonsOf(ports, scope, generation, found.lacking);
    const unexplained = found.lacking.filter((id) => !refused.has(id));
    if (unexplained.length === 0 || pass === PASSES)
      return {
        chunks: found.chunks,
        refused: [...refused].map(([chunkId, reason]) => ({ chunkId, reason })),
        unexplained,
        sample: found.sample,
      };
    await pause(BETWEEN_MS, signal, ports.scheduler);
    signal.throwIfAborted();
  }
};

const onePass = async (
  { catalog, vectors }: CoveragePorts,
  scope: PermittedScope,
  { id, recipe }: Generation,
  size: number,
  random: SeededRandom,
): Promise<Readonly<{ chunks: number; lacking: readonly ChunkId[]; sample: readonly ChunkId[] }>> => {
  const entries = vectors.entries({ scope, generation: id })[Symbol.asyncIterator]();
  const lacking: ChunkId[] = [];
  const sample = new Reservoir(size, random);
  let entry = await entries.next();
  for await (const { chunkId } of catalog.contentHashes(scope, chunkListOf(recipe.chunking))) {
    sample.add(chunkId);
    while (entry.done !== true && entry.value.chunkId < chunkId) entry = await entries.next();
    if (entry.done === true || entry.value.chunkId !== chunkId) lacking.push(chunkId);
  }
  await entries.return?.();
  return { chunks: sample.added, lacking, sample: sample.shuffled() };
};

/** Why the model of the generation refused these chunks, as far as their documents say so on the log. */
const reasonsOf = async (
  { journal, catalog }: CoveragePorts,
  scope: PermittedScope,
  { embeddingVersion, recipe }: Generation,
  ids: readonly ChunkId[],
): Promise<ReadonlyMap<ChunkId, string>> => {
  const documents = new Set<string>();
  const reasons = new Map<ChunkId, string>();
  const wanted = new Set(ids);
  for (let from = 0; from < ids.length; from += PAGE) {
    for (const { documentId } of await catalog.chunks([scope], ids.slice(from, from + PAGE), chunkListOf(recipe.chunking))) {
      if (documents.has(documentId)) continue;
      documents.add(documentId);
      for await (const { event } of journal.readStream(documentStream(scope.tenant, documentId)))
        if (
          event.type === 'KnowledgeChunkReembedFailed' &&
          event.data.embeddingVersion === embeddingVersion &&
          wanted.has(event.data.chunkId)
        )
          reasons.set(event.data.chunkId, event.data.reason);
    }
  }
  return reasons;
};
