import fc from 'fast-check';
import { Faults } from '@palimpsest/test-kit';
import { afterThe, aProcess, aScenario, DIGESTS, emptyDisk, projected } from '../test/fixture.ts';
import { histories, applyStep } from '../test/random-history.ts';
import { stateOf } from '../test/read-model-state.ts';
import { VerifyReadModels } from './verification/verify-read-models.ts';

describe('Projecting any history', () => {
  it('gives the same read models live, rebuilt, and rebuilt in batches of any size, as verify expects them', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 3 }), async (history, maxBatch, pause) => {
        const world = await aScenario();
        const disk = emptyDisk();
        const live = aProcess(world, disk);
        live.runner.start();
        for (const [i, step] of history.entries()) {
          await applyStep(world.scenario, step);
          if (pause > 0 && i % pause === 0) await live.settled();
        }
        await live.settled();
        expect((await new VerifyReadModels(live.stores, live.runner, DIGESTS).run()).differences).toEqual([]);
        await live.runner.stop();
        expect(live.errors).toEqual([]);

        const expected = await stateOf(disk);
        expect(await stateOf(await projected(world, emptyDisk()))).toEqual(expected);
        expect(await stateOf(await projected(world, emptyDisk(), maxBatch))).toEqual(expected);
      }),
      { numRuns: 40 },
    ));
});

describe('Projecting any history, killed anywhere', () => {
  it('reaches the same state after a restart, for any loss and any batches', () =>
    fc.assert(
      fc.asyncProperty(
        histories,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom('kill' as const, 'power cut' as const),
        async (history, call, before, after, end) => {
          const world = await aScenario();
          for (const step of history) await applyStep(world.scenario, step);
          const expected = await stateOf(await projected(world, emptyDisk()));
          const disk = emptyDisk();
          const doomed = aProcess(world, disk, { faults: new Faults(call), maxBatch: before });
          doomed.runner.start();
          await doomed.settled();
          await doomed.runner.stop().catch(() => undefined);
          expect(await stateOf(await projected(world, afterThe(end, disk), after))).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    ));
});
