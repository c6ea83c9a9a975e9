import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { Faults } from '@palimpsest/test-kit';
import { digestsOf } from '../test/digests.ts';
import { afterThe, aProcess, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { World, worldHistories } from '@palimpsest/test-kit/histories';
import { VerifyReadModels } from './verification/verify-read-models.ts';

/** `npm run test:histories-long` has 10,000. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 1_000);
/** A failure prints its seed; with it, the same histories run again. */
const SEED = process.env['HISTORIES_SEED'];
const runs = (numRuns: number) => ({ numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });

/** Without the pause that follows a failure. */
const IMPATIENT = {
  ...SYSTEM,
  scheduler: {
    ...SYSTEM.scheduler,
    after: (...[ms, ...rest]: Parameters<typeof SYSTEM.scheduler.after>) => SYSTEM.scheduler.after(ms < 10_000 ? 0 : ms, ...rest),
  },
};

const batches = fc.integer({ min: 1, max: 6 });

/** Projects until some batches are written, or everything is, and stops. */
const projectedPartly = async (world: World, disk: Disk, maxBatch: number, count: number): Promise<Disk> => {
  const enough = Promise.withResolvers<void>();
  let written = 0;
  const process = aProcess(world, disk, { maxBatch, onProjected: () => void (++written === count && enough.resolve()) });
  process.runner.start();
  await Promise.race([enough.promise, process.settled().catch(() => undefined)]);
  await process.runner.stop();
  expect(process.errors).toEqual([]);
  return disk;
};

describe('Projecting any history', () => {
  const removals = { removed: 0, left: 0, none: 0 };

  it(`gives the same digests live, rebuilt, in batches of any size, and stopped and continued: ${HISTORIES} histories`, () =>
    fc.assert(
      fc.asyncProperty(worldHistories, fc.nat(23), batches, batches, fc.nat(40), async (history, stopAfter, maxBatch, other, written) => {
        const world = await World.begin();
        const [disk, saved] = [emptyDisk(), emptyDisk()];
        const live = aProcess(world, disk, { system: IMPATIENT });
        live.runner.start();
        for (const [i, step] of history.entries()) {
          await world.apply(step);
          if (step.wait) await live.settled();
          if (i === stopAfter % history.length) await projectedPartly(world, saved, maxBatch, written);
        }
        await live.settled();
        const { differences } = await new VerifyReadModels(live.stores, live.runner, DIGESTS).run();
        expect(differences.filter(({ tenant, scope }) => world.isKnown({ tenant, scope }))).toEqual([]);
        await live.runner.stop();
        // A key may be destroyed between the reading of an event and its writing: then the batch is projected again.
        expect(live.errors.filter((error) => !(error instanceof ScopeKeyDestroyed))).toEqual([]);

        for (const outcome of ['removed', 'left', 'none'] as const) removals[outcome] += world.removals[outcome];
        const digests = (of: Disk) => digestsOf(of, (scope) => world.isKnown(scope));
        const expected = await digests(disk);
        expect(await digests(await projected(world, emptyDisk()))).toEqual(expected);
        expect(await digests(await projected(world, emptyDisk(), 1))).toEqual(expected);
        expect(await digests(await projected(world, emptyDisk(), maxBatch))).toEqual(expected);
        expect(await digests(await projected(world, afterThe('power cut', saved), other))).toEqual(expected);
      }),
      runs(HISTORIES),
    ));

  it('had histories of which parts were removed from the log', () => {
    expect(removals.removed).toBeGreaterThan(HISTORIES / 50);
  });
});

describe('Projecting any history, killed anywhere', () => {
  it('gives the same digests after a restart, for any loss and any batches', () =>
    fc.assert(
      fc.asyncProperty(
        worldHistories,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        batches,
        fc.constantFrom('kill' as const, 'power cut' as const),
        async (history, call, before, after, end) => {
          const world = await World.begin();
          for (const step of history) await world.apply(step);
          const expected = await digestsOf(await projected(world, emptyDisk()));
          const disk = emptyDisk();
          const doomed = aProcess(world, disk, { faults: new Faults(call), maxBatch: before });
          doomed.runner.start();
          await doomed.settled();
          await doomed.runner.stop().catch(() => undefined);
          expect(await digestsOf(await projected(world, afterThe(end, disk), after))).toEqual(expected);
        },
      ),
      runs(HISTORIES / 20),
    ));
});
