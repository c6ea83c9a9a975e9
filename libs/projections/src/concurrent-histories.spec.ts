import fc from 'fast-check';
import type { EventLog } from '@palimpsest/knowledge/ports';
import { START, tenantId, type Position } from '@palimpsest/knowledge/values';
import { aJournal, TEST_KEYS, InMemoryEventLog, type InMemoryScopeKeys } from '@palimpsest/test-kit';
import { anExchangingProcess } from '../test/exchanging-process.ts';
import { aProcess, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { applyStep, histories, PLACES, Scenario, SCOPE, type Step } from '@palimpsest/test-kit/histories';
import { stateOf } from '../test/read-model-state.ts';
import type { VerifiedPartition } from './verification/compare-read-models.ts';
import { VerifyReadModels } from './verification/verify-read-models.ts';

/** The work takes some seconds, but much longer on a busy machine. */
const ENOUGH_MS = 600_000;

/** The steps in each scope, and the number of ticks that its writer waits before each step. */
type Histories = readonly Readonly<{ steps: readonly Step[]; ticks: readonly number[] }>[];
const ticks = fc.array(fc.nat(6), { minLength: 14, maxLength: 14 });
const scopeHistories: fc.Arbitrary<Histories> = fc.tuple(...PLACES.map(() => fc.record({ steps: histories, ticks })));

const writeAll = async (log: EventLog, keys: InMemoryScopeKeys, all: Histories): Promise<void> => {
  await Promise.all(
    all.map(async ({ steps, ticks: waits }, place) => {
      const scenario = await new Scenario(log, keys, PLACES[place]).begin();
      for (const [i, step] of steps.entries()) {
        for (let tick = waits[i] ?? 0; tick > 0; tick--) await new Promise(setImmediate);
        await applyStep(scenario, step);
      }
    }),
  );
};

/** The positions that a follower of the whole log reads while it is being written. */
const followed = async (log: EventLog, over: AbortSignal, maxBatch: number): Promise<readonly Position[]> => {
  const met: Position[] = [];
  for await (const { events, caughtUp } of log.follow({ after: START, signal: new AbortController().signal, maxBatch })) {
    met.push(...events.map(({ position }) => position));
    if (caughtUp && over.aborted) break;
  }
  return met;
};

const fingerprints = async (
  world: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>,
  disk: Disk,
): Promise<readonly VerifiedPartition[]> => {
  const process = aProcess(world, disk);
  process.runner.start();
  await process.settled();
  const { differences, partitions } = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
  await process.runner.stop();
  expect(differences).toEqual([]);
  return [...partitions].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};

describe('Random histories of several scopes and tenants, written concurrently', () => {
  it(
    'give the same read models live, rebuilt during the writes, and rebuilt in batches of any size',
    () =>
      fc.assert(
        fc.asyncProperty(
          scopeHistories,
          fc.integer({ min: 1, max: 7 }),
          fc.integer({ min: 1, max: 7 }),
          async (all, liveBatch, otherBatch) => {
            const world = { log: new InMemoryEventLog(), keys: TEST_KEYS };
            const { disk, ...live } = await anExchangingProcess(world, undefined, { maxBatch: liveBatch });
            const writing = writeAll(world.log, world.keys, all);
            await live.rebuild.run({ by: 'test' });
            await writing;
            await live.settled();
            await live.runner.stop();
            expect(live.errors).toEqual([]);
            const expected = await stateOf(disk);
            expect(await stateOf(await projected(world, emptyDisk()))).toEqual(expected);
            expect(await stateOf(await projected(world, emptyDisk(), otherBatch))).toEqual(expected);
            await fingerprints(world, disk);
          },
        ),
        { numRuns: 12 },
      ),
    ENOUGH_MS,
  );

  it(
    'give the same fingerprints for any interleaving of the writers',
    () =>
      fc.assert(
        fc.asyncProperty(scopeHistories, ticks, async (all, otherTicks) => {
          const interleavings = [
            all,
            all.map(({ steps }) => ({ steps, ticks: otherTicks })),
            all.map(({ steps }) => ({ steps, ticks: [] })),
          ];
          const [first, ...others] = await Promise.all(
            interleavings.map(async (interleaving) => {
              const world = { log: new InMemoryEventLog(), keys: TEST_KEYS };
              await writeAll(world.log, world.keys, interleaving);
              return fingerprints(world, await projected(world, emptyDisk()));
            }),
          );
          for (const other of others) expect(other).toEqual(first);
        }),
        { numRuns: 8 },
      ),
    ENOUGH_MS,
  );

  it(
    'are followed without gaps or duplicates while they are written',
    () =>
      fc.assert(
        fc.asyncProperty(scopeHistories, fc.integer({ min: 1, max: 9 }), async (all, maxBatch) => {
          const log = new InMemoryEventLog();
          const over = new AbortController();
          const following = followed(log, over.signal, maxBatch);
          await writeAll(log, TEST_KEYS, all);
          over.abort();
          // An event after all others wakes a waiting follower.
          await new Scenario(log, TEST_KEYS, { tenant: tenantId('last'), scope: SCOPE.scope }).begin();
          const written: Position[] = [];
          for await (const { position } of aJournal(log).log.readAll()) written.push(position);
          const met = await following;
          expect(met).toEqual(written.slice(0, met.length));
          expect(met.length).toBeGreaterThanOrEqual(written.length - 3);
        }),
        { numRuns: 15 },
      ),
    ENOUGH_MS,
  );
});
