import { SYSTEM, type Scheduler } from '@palimpsest/foundation';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, START, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import { aScenario, DIGESTS } from '../../test/fixture.ts';
import { ALL_SHARES, aReplica, SHARED, type Replica, type SharedStores } from '../../test/replica.ts';
import { SCOPE, theChunk } from '@palimpsest/test-kit/histories';
import { keyOf } from './difference.ts';
import { RepairReadModels } from './repair-read-models.ts';
import { Verifications } from './verifications.ts';
import { VerifyReadModels } from './verify-read-models.ts';
import { WriteDifferences } from './write-differences.ts';

const G1: IndexPartition = { scope: SCOPE, generation: generationId('g1') };
const apple = theChunk('a', 'apple');
const stray = theChunk('z', 'stray');
const ORDER = { by: 'key:spec', correlationId: 'r-1', trigger: 'requested' as const };
const vector = Float32Array.from({ length: 8 }, (_, i) => (i === 3 ? 1 : 0));
const FIRST = 1n as Position;

/** A second comparison follows soon. */
const after: Scheduler['after'] = (ms, run, options) => SYSTEM.scheduler.after(ms / 100, run, options);
const system = { ...SYSTEM, scheduler: { ...SYSTEM.scheduler, after } };

const repairing = ({ stores, runner }: Replica) => {
  const verify = new VerifyReadModels(stores, runner, DIGESTS, { system });
  const writes = new WriteDifferences(stores, SYSTEM.scheduler);
  const verifications = new Verifications(verify);
  const isRebuilding = () => false;
  const repair = new RepairReadModels({ journal: stores.journal, verify, verifications, writes, isRebuilding, system });
  return { verify, writes, repair };
};

const withReplicas = async (
  shared: SharedStores,
  body: (parts: Readonly<{ scenario: Awaited<ReturnType<typeof aScenario>>['scenario']; one: Replica; two: Replica }>) => Promise<void>,
): Promise<void> => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  await world.scenario.indexed('b', { texts: ['cedar', 'ember'] });
  const [one, two] = [aReplica(world, shared), aReplica(world, shared)];
  one.start(ALL_SHARES);
  two.start([]);
  try {
    await Promise.all([one.caughtUp(), two.caughtUp()]);
    await body({ scenario: world.scenario, one, two });
  } finally {
    await Promise.all([one.die(), two.die()]);
  }
  expect([...one.errors, ...two.errors]).toEqual([]);
};

/** Damage in the shared stores, as a disk or a person causes it. The stored positions stay. */
const HARM: Readonly<Record<string, (shared: SharedStores) => Promise<void>>> = {
  'a missing vector': async ({ vectors }) => vectors.index.apply(G1, [{ write: 'remove', chunkId: apple }], START),
  'a different vector': async ({ vectors }) => vectors.index.apply(G1, [{ write: 'put', chunkId: apple, vector, attributes: {} }], START),
  'an extra vector': async ({ vectors }) => vectors.put(G1, [{ put: { write: 'put', chunkId: stray, vector, attributes: {} }, at: FIRST }]),
  'a vector of an unknown generation': async ({ vectors }) =>
    vectors.put({ ...G1, generation: generationId('g9') }, [{ put: { write: 'put', chunkId: apple, vector, attributes: {} }, at: FIRST }]),
};
const WORDS = { write: 'put' as const, text: 'pear', language: 'en', attributes: {} };
const HARM_TO_WORDS: typeof HARM = {
  'missing words': async ({ words }) => words?.apply(G1, [{ write: 'remove', chunkId: apple }], START),
  'different words': async ({ words }) => words?.apply(G1, [{ ...WORDS, chunkId: apple }], START),
  'extra words': async ({ words }) => words?.put(G1, [{ put: { ...WORDS, chunkId: stray }, at: FIRST }]),
};

describe.each(['vectors', 'vectors and words'] as const)('A repair of shared %s', (kind) => {
  it.each(Object.entries({ ...HARM, ...(kind === 'vectors' ? {} : HARM_TO_WORDS) }))(
    'finds and repairs %s from a process that holds no shares, and every process sees it',
    async (_, harm) => {
      const shared = SHARED[kind]();
      await withReplicas(shared, async ({ one, two }) => {
        await harm(shared);
        const { repair } = repairing(two);
        const { repaired, after } = await repair.run(ORDER);
        expect([repaired, after.differences]).toEqual([1, []]);
        await one.caughtUp();
        expect(await repairing(one).verify.run()).toMatchObject({ clean: true, partitions: after.partitions });
      });
    },
  );

  it('does not bring back what another process has removed meanwhile, and newer facts replace what it wrote', async () => {
    const shared = SHARED[kind]();
    await withReplicas(shared, async ({ scenario, one, two }) => {
      const present = async (): Promise<readonly ChunkId[]> => {
        const found: ChunkId[] = [];
        for await (const { chunkId } of shared.vectors.index.entries(G1)) found.push(chunkId);
        return found;
      };
      await HARM['a different vector']?.(shared);
      const { verify, writes } = repairing(two);
      const { differences } = await verify.run();
      expect(differences.map(keyOf)).toHaveLength(1);
      await verify.atView(async (view) => {
        await scenario.deleted('a');
        await one.caughtUp();
        await writes.write(view, differences, []);
        expect(await present()).not.toContain(apple);
      });
      await scenario.indexed('b', { texts: ['cedar'], label: 'x' });
      await Promise.all([one.caughtUp(), two.caughtUp()]);
      for (const replica of [one, two]) expect((await repairing(replica).verify.run()).differences).toEqual([]);
    });
  });
});
