import { generationId } from '@palimpsest/knowledge/values';
import { aProcess, aScenario, emptyDisk } from '../test/fixture.ts';
import { MODELS, SCOPE, theChunk } from '@palimpsest/test-kit/histories';

const [FIRST, SECOND] = MODELS;
const NAMES = Array.from({ length: 20 }, (_, n) => `document-${n}`);

describe('a generation whose vectors are on the log already', () => {
  it('is filled once, by writes of many documents, and no other generation is written again', async () => {
    const { scenario, ...world } = await aScenario();
    for (const name of NAMES) await scenario.indexed(name, { texts: ['apple', name], models: [FIRST, SECOND ?? FIRST] });
    const disk = emptyDisk();
    const process = aProcess(world, disk);
    process.runner.start();
    await process.settled();

    const written: Readonly<{ generation: string; chunks: number }>[] = [];
    const apply = disk.vectors.apply.bind(disk.vectors);
    disk.vectors.apply = (partition, writes, upTo) => {
      written.push({ generation: partition.generation, chunks: writes.length });
      return apply(partition, writes, upTo);
    };
    await scenario.generationStarted(SECOND ?? FIRST);
    await process.settled();
    await process.runner.stop();

    expect(written).toEqual([{ generation: 'g2', chunks: 2 * NAMES.length }]);
    const filled = new Set<string>();
    for await (const { chunkId } of disk.vectors.entries({ scope: SCOPE, generation: generationId('g2') })) filled.add(chunkId);
    expect(filled).toEqual(new Set(NAMES.flatMap((name) => [theChunk(name, 'apple'), theChunk(name, name)])));
    expect(process.errors).toEqual([]);
  });
});
