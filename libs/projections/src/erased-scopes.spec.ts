import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { vectorScope } from '@palimpsest/knowledge/values';
import { aJournal, InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { anExchangingProcess } from '../test/exchanging-process.ts';
import { aProcess, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { Scenario, SCOPE } from '@palimpsest/test-kit/histories';
import { VerifyReadModels } from './verification/verify-read-models.ts';
import { viewAt } from './views/view-at.ts';

const ERASED = { ...SCOPE, scope: vectorScope('team:blue') };

/** Two scopes with documents: the key of one of them will be destroyed. */
const aWorld = async () => {
  const [log, keys] = [new InMemoryEventLog(), new InMemoryScopeKeys()];
  const [kept, erased] = [await new Scenario(log, keys).begin(), await new Scenario(log, keys, ERASED).begin()];
  for (const name of ['a', 'b']) await kept.indexed(name, { texts: ['apple', 'berry'] });
  for (const name of ['c', 'd']) await erased.indexed(name, { texts: ['cedar', 'dune'] });
  return { log, keys, kept };
};

const entriesOf = async ({ vectors, lexical }: Disk, of: IndexPartition['scope']): Promise<readonly number[]> => {
  const counts: number[] = [];
  for (const index of [vectors, lexical]) {
    let count = 0;
    for (const partition of await index.partitions())
      if (partition.scope.scope === of.scope) for await (const _ of index.entries(partition)) count++;
    counts.push(count);
  }
  return counts;
};

/** What an index whose files are sealed has of a scope whose key was destroyed: nothing. */
const dropErased = async ({ vectors, lexical }: Disk): Promise<void> => {
  for (const index of [vectors, lexical])
    for (const partition of await index.partitions()) if (partition.scope.scope === ERASED.scope) await index.drop(partition);
};

describe('a scope whose key was destroyed', () => {
  it('is skipped when the read models are built from the log; the others are complete', async () => {
    const world = await aWorld();
    await world.keys.destroy(ERASED);
    const disk = await projected(world, emptyDisk());
    expect([await entriesOf(disk, SCOPE), await entriesOf(disk, ERASED)]).toEqual([
      [4, 4],
      [0, 0],
    ]);
  });

  it('is not taken for a lost index at a start', async () => {
    const world = await aWorld();
    const disk = await projected(world, emptyDisk());
    await world.keys.destroy(ERASED);
    await dropErased(disk);
    const projectedAgain: unknown[] = [];
    const process = aProcess(world, disk, { onProjected: ({ facts }) => void projectedAgain.push(...facts) });
    process.runner.start();
    await process.settled();
    await process.runner.stop();
    expect([projectedAgain, process.errors]).toEqual([[], []]);
  });

  it('is skipped when its key is destroyed while it is being projected', async () => {
    const world = await aWorld();
    const disk = emptyDisk();
    const apply = disk.lexical.apply.bind(disk.lexical);
    disk.lexical.apply = async (of, writes, upTo) => {
      if (of.scope.scope === ERASED.scope) await world.keys.destroy(ERASED);
      await apply(of, writes, upTo);
    };
    await world.kept.indexed('e', { texts: ['ember'] });
    const process = aProcess(world, disk, { maxBatch: 2 });
    process.runner.start();
    expect(await process.settled()).toBe('caught up');
    await process.runner.stop();
    expect(await entriesOf(disk, SCOPE)).toEqual([5, 5]);
  });

  it('is verified for what is left of it, and not for what the log can no longer say', async () => {
    const world = await aWorld();
    const disk = await projected(world, emptyDisk());
    await world.keys.destroy(ERASED);
    const process = aProcess(world, disk);
    process.runner.start();
    await process.settled();
    const verify = new VerifyReadModels(process.stores, process.runner, DIGESTS);
    const left = (await verify.run()).differences;
    expect(new Set(left.map(({ kind, scope }) => `${kind} ${scope}`))).toEqual(new Set([`extra ${ERASED.scope}`]));
    for (const index of [disk.vectors, disk.lexical])
      for (const gone of await index.partitions()) if (gone.scope.scope === ERASED.scope) await index.drop(gone);
    expect(await verify.run()).toMatchObject({ clean: true, differences: [] });
    const [partition] = (await disk.vectors.partitions()).filter(({ scope }) => scope.scope === SCOPE.scope);
    await disk.vectors.drop(partition as IndexPartition);
    expect(new Set((await verify.run()).differences.map(({ scope }) => scope))).toEqual(new Set([SCOPE.scope]));
    await process.runner.stop();
  });

  it.each([
    ['of everything', {}],
    ['of the scope', { only: { tenant: ERASED.tenant, scopes: [ERASED.scope] } }],
  ])('has nothing after a rebuild %s', async (_, of) => {
    const world = await aWorld();
    const process = await anExchangingProcess(world);
    await world.keys.destroy(ERASED);
    await process.rebuild.run({ by: 'test', ...of });
    await process.runner.stop();
    expect([await entriesOf(process.disk, SCOPE), await entriesOf(process.disk, ERASED), process.errors]).toEqual([[4, 4], [0, 0], []]);
  });

  it('is empty in the view of any moment', async () => {
    const world = await aWorld();
    await world.keys.destroy(ERASED);
    const disk = await projected(world, emptyDisk());
    const view = await viewAt(
      { journal: aJournal(world.log, world.keys), keys: world.keys, catalog: disk.catalog },
      await world.log.head(),
      DIGESTS,
    );
    for (const partition of await disk.vectors.partitions())
      expect(view.lexical.entries(partition).size).toBe(partition.scope.scope === SCOPE.scope ? 4 : 0);
    await view.close();
  });
});
