import { Faults } from '@palimpsest/test-kit';
import { aProcess, aScenario, emptyDisk, type Disk } from '../test/fixture.ts';
import { READER } from '../test/read-model-state.ts';
import { MODELS, SCOPE, theChunk, theDocument } from '@palimpsest/test-kit/histories';

/** The chunks of a document that a search could return now: in the catalog and in both indexes of the active generation. */
const seenNow = async ({ catalog, vectors, lexical }: Disk, name: string): Promise<readonly string[]> => {
  const visible = (await catalog.chunksOf(READER, theDocument(name), { limit: 99 })).items.map(({ chunkId }) => chunkId);
  const [scope] = await catalog.scopes();
  const generation = scope?.generations.find(({ status }) => status === 'active')?.id;
  if (generation === undefined) return [];
  const held = async (index: typeof vectors | typeof lexical) => {
    const ids = new Set<string>();
    for await (const { chunkId } of index.entries({ scope: SCOPE, generation })) ids.add(chunkId);
    return ids;
  };
  const [inVectors, inLexical] = [await held(vectors), await held(lexical)];
  return visible.filter((id) => inVectors.has(id) && inLexical.has(id));
};

describe('what searches see while a document changes', () => {
  it.each([1, 2, 5, 100])('is the old version or the new one, whole, at every moment (batches of %i)', async (maxBatch) => {
    const { scenario, ...world } = await aScenario();
    const versions = [[], ['apple', 'berry'], ['berry', 'cedar'], ['apple', 'berry'], ['apple', 'berry', 'dune'], [], ['fjord', 'berry']];
    for (const texts of versions.slice(1, 4)) await scenario.indexed('a', { texts });
    await scenario.generationStarted(MODELS[1] ?? MODELS[0]);
    await scenario.indexed('a', { texts: versions[4] ?? [], models: [MODELS[0]], label: 'x' });
    await scenario.reembedded('a');
    await scenario.scope({ type: 'Activate', generation: (await scenario.generations())[1]?.id as never });
    await scenario.deleted('a');
    await scenario.indexed('a', { texts: versions[6] ?? [] });

    const disk = emptyDisk();
    const moments: string[] = [];
    const look = async (): Promise<void> => {
      moments.push(JSON.stringify(await seenNow(disk, 'a')));
    };
    const process = aProcess(world, disk, { faults: new Faults(Infinity, look), maxBatch });
    process.runner.start();
    await process.settled();
    await process.runner.stop();
    await look();

    // Only the versions are seen, in their order, each at any number of moments.
    const expected = versions.map((texts) => JSON.stringify(texts.map((text) => theChunk('a', text))));
    let at = 0;
    for (const moment of moments) {
      const found = expected.indexOf(moment, at);
      expect({ moment, known: found >= 0 }).toEqual({ moment, known: true });
      at = found;
    }
    expect(at).toBe(versions.length - 1);
    expect(process.errors).toEqual([]);
  });
});
