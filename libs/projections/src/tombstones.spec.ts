import fc from 'fast-check';
import { type Journal } from '@palimpsest/contracts';
import type { DocumentIndexed } from '@palimpsest/knowledge/events';
import {
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  START,
  type ChunkId,
  type ChunkListId,
  type EmbeddingVersion,
  type GenerationId,
} from '@palimpsest/knowledge/values';
import { ALL_TEXTS, applyStep, histories, SCOPE } from '@palimpsest/test-kit/histories';
import { aScenario, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { Tombstones } from './tombstones.ts';
import { aJournal } from '@palimpsest/test-kit';

/** Every chunk that was put into an index, in order. */
const puts = (disk: Disk): readonly string[] => {
  const seen: string[] = [];
  for (const index of [disk.vectors, disk.lexical]) {
    const apply = index.apply.bind(index) as (...args: unknown[]) => Promise<void>;
    Object.assign(index, {
      apply: (partition: unknown, writes: readonly { write: string; chunkId: string }[], upTo: unknown) => {
        seen.push(...writes.filter(({ write }) => write === 'put').map(({ chunkId: id }) => id));
        return apply(partition, writes, upTo);
      },
    });
  }
  return seen;
};

describe('A replay', () => {
  it('writes only chunks that exist at the end, and reaches the same state', () =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const world = await aScenario();
        for (const step of history) await applyStep(world.scenario, step);
        const disk = emptyDisk();
        const written = puts(disk);
        await projected(world, disk);
        const left = JSON.stringify(await stateOf(disk));
        const dropped = await chunksOfDroppedLists(aJournal(world.log));
        for (const id of written) if (!dropped.has(id as ChunkId)) expect(left).toContain(id);
      }),
      { numRuns: 60 },
    ));

  it('remembers removed chunks up to a limit, and all deleted documents', async () => {
    const { scenario, log } = await aScenario();
    await scenario.indexed('kept', { texts: ALL_TEXTS.slice(0, 2) });
    await scenario.indexed('kept', { texts: ALL_TEXTS.slice(0, 1) });
    await scenario.indexed('gone', { texts: ALL_TEXTS.slice(0, 1) });
    await scenario.deleted('gone');
    const journal = aJournal(log);
    const [all, none] = [await Tombstones.after(journal, START), await Tombstones.after(journal, START, { maxChunks: 0 })];
    const [first, second] = await indexedIn(journal);
    const removed = first.chunks[1]?.chunkId as ChunkId;
    expect([all, none].map((one) => one.hasChunk(SCOPE.tenant, first, removed, START))).toEqual([true, false]);
    expect(all.hasChunk(SCOPE.tenant, first, first.chunks[0]?.chunkId as ChunkId, START)).toBe(false);
    expect([all, none].map((one) => one.hasDocument(SCOPE.tenant, second.documentId, START))).toEqual([true, true]);
    expect(all.hasDocument(SCOPE.tenant, second.documentId, await log.head())).toBe(false);
  });
});

/**
 * A replay writes a list whose last generation is retired later, and drops it with that generation. So it does with chunks that have no
 * vector of another model: the generations of that one still wait for it.
 */
const chunksOfDroppedLists = async (journal: Journal): Promise<ReadonlySet<ChunkId>> => {
  const lists = new Map<ChunkListId, Set<ChunkId>>();
  const live = new Map<GenerationId, Readonly<{ list: ChunkListId; model: EmbeddingVersion }>>();
  const models = new Map<ChunkId, Set<EmbeddingVersion>>();
  let isRetired = false;
  for await (const { event } of journal.readAll({})) {
    if (event.type === 'GenerationStarted') {
      const { generation, recipe } = event.data;
      live.set(generation, { list: chunkListOf(recipe.chunking), model: recipe.embedding.version });
    }
    if (event.type === 'GenerationRetired') {
      isRetired = true;
      live.delete(event.data.generation);
    }
    // Also of a model that refused the text: its generations get the words.
    if ('chunkId' in event.data && 'embeddingVersion' in event.data) {
      const { chunkId, embeddingVersion } = event.data;
      models.set(chunkId, (models.get(chunkId) ?? new Set()).add(embeddingVersion));
    }
    if (event.type === 'DocumentIndexed') {
      const ids = lists.get(event.data.chunkList) ?? new Set();
      lists.set(event.data.chunkList, ids);
      for (const { chunkId } of event.data.chunks) ids.add(chunkId);
    }
  }
  const generations = [...live.values()];
  const isKept = (wanted: ChunkListId, id: ChunkId): boolean =>
    wanted === DEFAULT_CHUNK_LIST && generations.some(({ list, model }) => list === wanted && models.get(id)?.has(model));
  return new Set(isRetired ? [...lists].flatMap(([list, ids]) => [...ids].filter((id) => !isKept(list, id))) : []);
};

/** The first and the last DocumentIndexed. */
const indexedIn = async (journal: Journal): Promise<readonly [DocumentIndexed['data'], DocumentIndexed['data']]> => {
  const found: DocumentIndexed['data'][] = [];
  for await (const { event } of journal.readAll({ types: ['DocumentIndexed'] }))
    if (event.type === 'DocumentIndexed') found.push(event.data);
  return [found[0] as DocumentIndexed['data'], found.at(-1) as DocumentIndexed['data']];
};
