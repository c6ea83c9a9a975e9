import { searchText, textIfAny } from '@palimpsest/contracts';
import { shuffled, nextTurn, type Scheduler, type SeededRandom } from '@palimpsest/foundation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { ScopeKeys, TextWindow } from '@palimpsest/knowledge/ports';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import type { ChunkId, DocumentId, KnowledgeBaseId } from '@palimpsest/knowledge/values';

export type CountPorts = Readonly<{ catalog: Pick<Catalog, 'chunks' | 'contentHashes'>; keys: ScopeKeys; scheduler: Scheduler }>;
export type CountOptions = Readonly<{ random: SeededRandom; signal: AbortSignal; texts: number; maxRead?: number }>;

export type CountedChunk = Readonly<{ chunkId: ChunkId; documentId: DocumentId; knowledgeBase: KnowledgeBaseId; tokens: number }>;
/**
 * `chunks`: how many the scope has. `read`: those whose text was counted, in random order: all of them, or a sample in which each chunk has
 * the same chance. `texts`: the texts of the first of these.
 */
export type CountedTexts = Readonly<{ chunks: number; read: readonly CountedChunk[]; texts: readonly ChunkText[] }>;

/** A scope with more chunks is sampled. With 5,000 texts, the mean of lengths that vary by half is known to 1.4 %. */
const MAX_READ = 5_000;
const PAGE = 100;
/** Texts between two turns of the event loop. Counting one takes about a tenth of a millisecond. */
const TEXTS_PER_TURN = 16;

/** Counts the tokens of the chunks of a scope. Memory does not grow with the scope: ids are streamed, texts are read in pages. */
export const countTexts = async (
  { catalog, keys, scheduler }: CountPorts,
  scope: PermittedScope,
  { count }: Pick<TextWindow, 'count'>,
  { random, signal, texts: wanted, maxRead = MAX_READ }: CountOptions,
): Promise<CountedTexts> => {
  const sample: ChunkId[] = [];
  let chunks = 0;
  for await (const { chunkId } of catalog.contentHashes(scope)) {
    signal.throwIfAborted();
    chunks++;
    // Reservoir sampling: after n chunks, each of them is in the sample with the chance maxRead / n.
    const at = chunks <= maxRead ? chunks - 1 : Math.floor(random.next() * chunks);
    if (at < maxRead) sample[at] = chunkId;
    if (chunks % 1_000 === 0) await nextTurn(scheduler);
  }
  const ids = shuffled(sample, random);
  const read: CountedChunk[] = [];
  const texts: ChunkText[] = [];
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = ids.slice(from, from + PAGE);
    const order = new Map(page.map((id, at) => [id, at]));
    const found = (await catalog.chunks([scope], page)).toSorted((a, b) => (order.get(a.chunkId) ?? 0) - (order.get(b.chunkId) ?? 0));
    for (const [at, chunk] of found.entries()) {
      if (at % TEXTS_PER_TURN === TEXTS_PER_TURN - 1) await nextTurn(scheduler);
      signal.throwIfAborted();
      const { chunkId, documentId, knowledgeBase } = chunk;
      const text = await textIfAny(keys, scope, chunk);
      if (!text) continue;
      read.push({ chunkId, documentId, knowledgeBase, tokens: count(searchText(text)) });
      if (texts.length < wanted) texts.push(text);
    }
  }
  return { chunks, read, texts };
};
