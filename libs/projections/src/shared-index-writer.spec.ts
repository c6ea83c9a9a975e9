import fc from 'fast-check';
import { pause } from '@palimpsest/foundation';
import { eventually, Faults, InMemoryCheckpoints } from '@palimpsest/test-kit';
import { aScenario, DIGESTS, emptyDisk, projected } from '../test/fixture.ts';
import { applyStep, histories, theDocument } from '@palimpsest/test-kit/histories';
import { stateOf } from '../test/read-model-state.ts';
import { ALL_SHARES, aReplica, ownState, SHARED, type Replica } from '../test/replica.ts';
import { READ_MODELS_CHECKPOINT } from './starting-point.ts';
import { VerifyReadModels } from './verification/verify-read-models.ts';

const stateSeenBy = ({ own, stores }: Replica) => stateOf({ catalog: own.catalog, lexical: own.lexical, vectors: stores.vectors });
const settled = async (replica: Replica): Promise<void> => {
  for (let round = 0; !(await replica.writer.settled()); round++) {
    if (round === 500) throw new Error('the removals were not written');
    await pause(5);
  }
};

describe.each(Object.entries(SHARED))('Several replicas on shared %s', (_, open) => {
  it('reach the same state as a single process, for any history', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.subarray(ALL_SHARES), async (history, first) => {
        const world = await aScenario();
        const shared = open();
        const [one, other] = [aReplica(world, shared), aReplica(world, shared)];
        one.start(first);
        other.start(ALL_SHARES.filter((share) => !first.includes(share)));
        for (const step of history) await applyStep(world.scenario, step);
        expect(await Promise.all([one.caughtUp(), other.caughtUp()])).toEqual([true, true]);
        await Promise.all([settled(one), settled(other)]);
        const expected = await stateOf(await projected(world, emptyDisk()));
        expect(await stateSeenBy(one)).toEqual(expected);
        expect(await stateSeenBy(other)).toEqual(expected);
        expect((await new VerifyReadModels(other.stores, other.runner, DIGESTS).run()).differences).toEqual([]);
        await Promise.all([one.die(), other.die()]);
      }),
      { numRuns: 25 },
    ));

  it('lose nothing when the holder dies anywhere and another process takes its shares', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 40 }), async (history, call) => {
        const world = await aScenario();
        const shared = open();
        const doomed = aReplica(world, shared, ownState(), new Faults(call));
        const heir = aReplica(world, shared);
        doomed.start(ALL_SHARES);
        heir.start([]);
        for (const step of history) await applyStep(world.scenario, step);
        await doomed.caughtUp(20);
        await doomed.die();
        for (const share of ALL_SHARES) heir.writer.hold(share);
        expect(await heir.caughtUp()).toBe(true);
        await settled(heir);
        expect(await stateSeenBy(heir)).toEqual(await stateOf(await projected(world, emptyDisk())));
        await heir.die();
      }),
      { numRuns: 25 },
    ));

  it('show no chunk whose vector has not been written yet', async () => {
    const world = await aScenario();
    const shared = open();
    const idle = aReplica(world, shared);
    idle.start([]);
    await world.scenario.indexed('a', { texts: ['one', 'two', 'three', 'four', 'five', 'six'] });
    expect(await idle.caughtUp(100)).toBe(false);
    expect(
      (
        await idle.own.catalog
          .contentHashes({ ...(await idle.own.catalog.scopes())[0]!.scope })
          [Symbol.asyncIterator]()
          .next()
      ).done,
    ).toBe(true);
    for (const share of ALL_SHARES) idle.writer.hold(share);
    expect(await idle.caughtUp()).toBe(true);
    expect((await stateSeenBy(idle)).documents.map(({ documentId, chunks }) => [documentId, chunks])).toEqual([[theDocument('a'), 6]]);
    await idle.die();
  });

  it('write everything again when the store was emptied', async () => {
    const world = await aScenario();
    const shared = open();
    const replica = aReplica(world, shared);
    replica.start(ALL_SHARES);
    await world.scenario.indexed('a', { texts: ['one', 'two', 'three'] });
    await replica.caughtUp();
    const before = await stateSeenBy(replica);
    await shared.vectors.index.dropAll();
    await replica.runner.checkShared();
    expect(await replica.caughtUp()).toBe(true);
    expect(await stateSeenBy(replica)).toEqual(before);
    await replica.die();
  });

  it('purge what they share once more after the delay, when processes of an earlier version have ended', async () => {
    const world = await aScenario();
    const shared = open();
    let purges = 0;
    Object.assign(shared.vectors.index, { purge: async () => void purges++ });
    const replica = aReplica(world, shared, ownState(), new Faults(), { purgeAfterMs: 1 });
    replica.start(ALL_SHARES);
    await world.scenario.indexed('a', { texts: ['one'] });
    await replica.caughtUp();
    await eventually('it was purged twice', async () => purges >= 2 || undefined);
    await replica.die();
  });

  it('notice at a start from a snapshot that the store has nothing of it, as after an upgrade with another format', async () => {
    const world = await aScenario();
    const replica = aReplica(world, open());
    replica.start(ALL_SHARES);
    await world.scenario.indexed('a', { texts: ['one', 'two', 'three'] });
    await replica.caughtUp();
    await replica.die();
    // A snapshot has the position of the read models, and not what its writer had seen in the shared store.
    const checkpoints = new InMemoryCheckpoints();
    await checkpoints.set(READ_MODELS_CHECKPOINT, await world.log.head());
    const restored = aReplica(world, open(), { ...replica.own, checkpoints });
    restored.start(ALL_SHARES);
    expect(await restored.caughtUp()).toBe(true);
    await settled(restored);
    expect(await stateSeenBy(restored)).toEqual(await stateOf(await projected(world, emptyDisk())));
    await restored.die();
  });

  it('notice at the start that the store is an older copy', async () => {
    const world = await aScenario();
    const shared = open();
    const replica = aReplica(world, shared);
    replica.start(ALL_SHARES);
    await world.scenario.indexed('a', { texts: ['one', 'two', 'three'] });
    await replica.caughtUp();
    await replica.die();
    const emptied = open();
    const again = aReplica(world, emptied, replica.own);
    again.start(ALL_SHARES);
    expect(await again.caughtUp()).toBe(true);
    expect(await stateSeenBy(again)).toEqual(await stateOf(await projected(world, emptyDisk())));
    await again.die();
  });
});
