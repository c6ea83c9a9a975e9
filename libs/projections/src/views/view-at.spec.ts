import fc from 'fast-check';
import type { Catalog } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { aJournal } from '@palimpsest/test-kit';
import { aScenario, DIGESTS, emptyDisk, projected } from '../../test/fixture.ts';
import { expectedIndexes } from '../../test/expected-indexes.ts';
import { applyStep, histories } from '@palimpsest/test-kit/histories';
import { partitionsOf, viewAt } from './view-at.ts';

const rowsOf = async (catalog: Catalog): Promise<readonly string[]> => {
  const rows: string[] = [];
  for await (const row of catalog.rows()) rows.push(JSON.stringify(row));
  return rows.sort();
};

type World = Awaited<ReturnType<typeof aScenario>>;

const contentsAt = async ({ log, keys }: World, position: Position) => {
  const view = await viewAt({ journal: aJournal(log, keys), keys, catalog: emptyDisk().catalog }, position, DIGESTS);
  const partitions = (await partitionsOf(view)).map((partition) => ({
    partition,
    vectors: new Map(view.vectors.entries(partition)),
    lexical: new Map(view.lexical.entries(partition)),
  }));
  const rows = await rowsOf(view.catalog);
  await view.close();
  return { partitions, rows };
};

describe('The view of a position', () => {
  it('holds what the log says, computed without the projector, for any history and any position in it', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, n) => {
        const world = await aScenario();
        const positions: Position[] = [START];
        for (const step of history) {
          await applyStep(world.scenario, step);
          positions.push(await world.log.head());
        }
        const position = positions[n % positions.length] ?? START;
        const expected = await expectedIndexes(aJournal(world.log, world.keys), world.keys, DIGESTS, position);
        const filled = ({ lexical }: Readonly<{ lexical: ReadonlyMap<unknown, unknown> }>): boolean => lexical.size > 0;
        expect((await contentsAt(world, position)).partitions.filter(filled)).toEqual(
          expected.filter(filled).map(({ partition, vectors, lexical }) => ({ partition, vectors, lexical })),
        );
      }),
      { numRuns: 60 },
    ));

  it('is that of its time, whatever followed', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
    await world.scenario.indexed('b', { texts: ['cedar'] });
    const then = await world.log.head();
    const before = await contentsAt(world, then);
    await world.scenario.indexed('a', { texts: ['apple', 'damson'] });
    await world.scenario.deleted('b');
    expect(await contentsAt(world, then)).toEqual(before);
    const now = await contentsAt(world, await world.log.head());
    expect([now.rows.length < before.rows.length, now.partitions[0]?.lexical.size]).toEqual([true, 2]);
    expect(now.rows).toEqual(await rowsOf((await projected(world, emptyDisk())).catalog));
  });

  it('is empty at the start', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    expect(await contentsAt(world, START)).toEqual({ partitions: [], rows: [] });
  });
});
