import fc from 'fast-check';
import { pause } from '@palimpsest/foundation';
import type { IndexEntry, IndexRemoval } from '@palimpsest/knowledge/read-models';
import { chunkId, position, vectorScope } from '@palimpsest/knowledge/values';
import { aScenario, DIGESTS, emptyDisk, projected } from '../../test/fixture.ts';
import { applyStep, histories, Scenario, SCOPE } from '@palimpsest/test-kit/histories';
import { stateOf } from '../../test/read-model-state.ts';
import { ALL_SHARES, SHARED, SHARES, aReplica, ownState, type Replica, type SharedStores } from '../../test/replica.ts';
import { removalsOnTheLog } from '../removals-between.ts';
import { VerifyReadModels } from '../verification/verify-read-models.ts';
import { Exchangeable } from '../views/exchangeable.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import { RebuildReadModels } from './rebuild-read-models.ts';
import { SharedIndexRepair } from './shared-index-repair.ts';

type World = Awaited<ReturnType<typeof aScenario>>;

const stateSeenBy = ({ own, stores }: Replica) => stateOf({ catalog: own.catalog, lexical: own.lexical, vectors: stores.vectors });

/** A replica that exchanges what is its own in a rebuild, and writes what is shared again. */
const aRebuildingReplica = (world: World, shared: SharedStores) => {
  const first = ownState();
  const [catalog, lexical] = [new Exchangeable(first.catalog), new Exchangeable(first.lexical)];
  const replica = aReplica(world, shared, { ...first, catalog: catalog.port, lexical: lexical.port });
  const { journal, vectors } = replica.stores;
  /** The progress that rebuilds wrote. */
  const advanced: unknown[] = [];
  const alongside = async (): Promise<SetAlongside> => {
    const next = { ...ownState(), ...(shared.words ? { lexical: shared.words } : {}) };
    const another = shared.vectors.another();
    const written = {
      put: another.put.bind(another),
      remove: another.remove.bind(another),
      advance: async (...call: Parameters<typeof another.advance>) => {
        advanced.push(call);
        return another.advance(...call);
      },
      partitions: () => vectors.partitions(),
      entries: vectors.entries.bind(vectors),
    };
    return {
      ...next,
      vectors,
      shared: new SharedIndexRepair({
        journal,
        vectors: written,
        ...(shared.words ? { lexical: shared.words } : {}),
        shares: SHARES,
        removalsBetween: removalsOnTheLog(journal, catalog.port),
        removeUnused: async () => undefined,
      }),
      exchange: async () => {
        void catalog.exchange(next.catalog);
        if (!shared.words) void lexical.exchange(next.lexical);
      },
      discard: async () => undefined,
    };
  };
  return { ...replica, advanced, rebuild: new RebuildReadModels({ ...replica.stores, alongside }, replica.runner, () => 0) };
};

const settled = async (...replicas: readonly Replica[]): Promise<void> => {
  for (const replica of replicas) {
    expect(await replica.caughtUp()).toBe(true);
    for (let round = 0; !(await replica.writer.settled()); round++) {
      if (round === 500) throw new Error('the removals were not written');
      await pause(5);
    }
  }
};

describe.each(Object.entries(SHARED))('A rebuild of a replica with shared %s', (_, open) => {
  it('ends with the same read models as one process, for any history, while all replicas serve', () =>
    fc.assert(
      fc.asyncProperty(histories, histories, histories, fc.subarray(ALL_SHARES), async (before, meanwhile, after, held) => {
        const world = await aScenario();
        const shared = open();
        const [one, other] = [aRebuildingReplica(world, shared), aReplica(world, shared)];
        one.start(held);
        other.start(ALL_SHARES.filter((share) => !held.includes(share)));
        for (const step of before) await applyStep(world.scenario, step);
        await settled(one, other);
        const rebuilt = one.rebuild.run({ by: 'test' });
        for (const step of meanwhile) {
          await applyStep(world.scenario, step);
          expect([one.runner.serving(), other.runner.serving()]).toEqual([true, true]);
        }
        await rebuilt;
        for (const step of after) await applyStep(world.scenario, step);
        await settled(one, other);
        const expected = await stateOf(await projected(world, emptyDisk()));
        expect(await stateSeenBy(one)).toEqual(expected);
        expect(await stateSeenBy(other)).toEqual(expected);
        expect([...one.errors, ...other.errors]).toEqual([]);
        await Promise.all([one.die(), other.die()]);
      }),
      { numRuns: 15 },
    ));

  it('writes what is lost or damaged again, removes what is extra, and leaves what other processes put later', async () => {
    const world = await aScenario();
    const shared = open();
    const one = aRebuildingReplica(world, shared);
    one.start(ALL_SHARES);
    await world.scenario.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
    await settled(one);
    const before = await stateSeenBy(one);
    const [partition] = await shared.vectors.index.partitions();
    if (!partition) throw new Error('there is a partition');
    const entries: IndexEntry[] = [];
    for await (const entry of shared.vectors.index.entries(partition)) entries.push(entry);
    const [lost, damaged] = entries;
    if (!lost || !damaged) throw new Error('there are vectors');
    const wrong = { write: 'put' as const, vector: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), attributes: {} };
    await shared.vectors.index.apply(
      partition,
      [
        { write: 'remove', chunkId: lost.chunkId },
        { ...wrong, chunkId: damaged.chunkId },
      ],
      position(0n),
    );
    const [early, late] = [chunkId('1'.repeat(32)), chunkId('2'.repeat(32))];
    await shared.vectors.put(partition, [
      { put: { ...wrong, chunkId: early }, at: position(1n) },
      { put: { ...wrong, chunkId: late }, at: position(1_000_000n) },
    ]);
    const stray = { write: 'put' as const, text: 'dune', language: 'und', attributes: {} };
    await shared.words?.apply(
      partition,
      [
        { write: 'remove', chunkId: lost.chunkId },
        { ...stray, chunkId: damaged.chunkId },
      ],
      position(0n),
    );
    await shared.words?.put(partition, [
      { put: { ...stray, chunkId: early }, at: position(1n) },
      { put: { ...stray, chunkId: late }, at: position(1_000_000n) },
    ]);
    const indexes = shared.words ? 2 : 1;
    const verify = () => new VerifyReadModels(one.stores, one.runner, DIGESTS).run();
    expect((await verify()).differences).toHaveLength(4 * indexes);
    await one.rebuild.run({ by: 'test' });
    expect((await verify()).differences.map((difference) => [difference.kind, 'chunkId' in difference && difference.chunkId])).toEqual(
      Array.from({ length: indexes }, () => ['extra', late]),
    );
    const removed = [{ chunkId: late, at: position(1_000_000n) }];
    await shared.vectors.remove(partition, removed);
    await shared.words?.remove(partition, removed);
    expect(await stateSeenBy(one)).toEqual(before);
    await one.die();
  });

  it('writes only the vectors of the scopes that are rebuilt, and keeps the progress of the shares', async () => {
    const world = await aScenario();
    const shared = open();
    const [one, other] = [aRebuildingReplica(world, shared), aReplica(world, shared)];
    one.start([0, 1]);
    other.start([2, 3]);
    const blue = await new Scenario(world.log, world.keys, { ...SCOPE, scope: vectorScope('team:blue') }).begin();
    await world.scenario.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
    await blue.indexed('x', { texts: ['dune', 'ember'] });
    await settled(one, other);
    const before = await stateSeenBy(other);
    const progress = await shared.vectors.progress(SHARES);
    const extra = chunkId('1'.repeat(32));
    const vector = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
    for (const partition of await shared.vectors.index.partitions()) {
      const removed: IndexRemoval[] = [];
      for await (const { chunkId: id } of shared.vectors.index.entries(partition)) removed.push({ write: 'remove', chunkId: id });
      await shared.vectors.index.apply(partition, removed, position(0n));
      await shared.vectors.put(partition, [{ put: { write: 'put', chunkId: extra, vector, attributes: {} }, at: position(1n) }]);
    }
    await one.rebuild.run({ by: 'test', only: { tenant: SCOPE.tenant, scopes: [SCOPE.scope] } });
    const { vectors, ...rest } = await stateSeenBy(one);
    expect([vectors['acme/team:red/g1'], Object.keys(vectors)]).toEqual([before.vectors['acme/team:red/g1'], Object.keys(before.vectors)]);
    expect(vectors['acme/team:blue/g1']?.map(({ chunkId: id }) => id)).toEqual([extra]);
    expect({ ...rest, vectors: before.vectors }).toEqual(before);
    expect([one.advanced, await shared.vectors.progress(SHARES)]).toEqual([[], progress]);
    await one.rebuild.run({ by: 'test' });
    expect(one.advanced.length).toBe(2);
    await Promise.all([one.die(), other.die()]);
  });
});
