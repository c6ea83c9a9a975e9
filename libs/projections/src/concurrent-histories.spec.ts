import fc from 'fast-check';
import { Journal } from '@palimpsest/contracts';
import { START, tenantId, vectorScope, type EventLog, type Position, type TenantScope } from '@palimpsest/knowledge';
import { InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { aProcess, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { histories, tell, type Step } from '../test/random-history.ts';
import { stateOf } from '../test/read-model-state.ts';
import { SCOPE, Story } from '../test/story.ts';
import { RebuildReadModels } from './rebuild-read-models.ts';
import { VerifyReadModels, type VerifiedPartition } from './verify-read-models.ts';

/** Two scopes of one tenant, and one of another that has the same name. */
const PLACES: readonly TenantScope[] = [SCOPE, { tenant: SCOPE.tenant, scope: vectorScope('deployment') }, { tenant: tenantId('globex'), scope: SCOPE.scope }];

/** Some seconds of work, which a busy machine may stretch as it likes. */
const ENOUGH_MS = 600_000;

/** What happens in each place, and how many turns its writer lets others have before each step. */
type Stories = readonly Readonly<{ steps: readonly Step[]; turns: readonly number[] }>[];
const turns = fc.array(fc.nat(6), { minLength: 14, maxLength: 14 });
const stories: fc.Arbitrary<Stories> = fc.tuple(...PLACES.map(() => fc.record({ steps: histories, turns })));

/** Documents are told apart by tenant and name: those of another scope have other names. */
const ownNames = (step: Step, place: number): Step => ('name' in step ? { ...step, name: `${step.name}${place}` } : step);

const told = async (log: EventLog, keys: InMemoryScopeKeys, all: Stories): Promise<void> => {
  await Promise.all(
    all.map(async ({ steps, turns: waits }, place) => {
      const story = await new Story(log, keys, PLACES[place]).begin();
      for (const [i, step] of steps.entries()) {
        for (let turn = waits[i] ?? 0; turn > 0; turn--) await new Promise(setImmediate);
        await tell(story, ownNames(step, place));
      }
    }),
  );
};

/** The positions that a follower of the whole log meets while it is being written, until all is written. */
const followed = async (log: EventLog, over: AbortSignal, maxBatch: number): Promise<readonly Position[]> => {
  const met: Position[] = [];
  for await (const { events, caughtUp } of log.follow({ after: START, signal: new AbortController().signal, maxBatch })) {
    met.push(...events.map(({ position }) => position));
    if (caughtUp && over.aborted) break;
  }
  return met;
};

const fingerprints = async (world: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>, disk: Disk): Promise<readonly VerifiedPartition[]> => {
  const process = aProcess(world, disk);
  process.runner.start();
  await process.settled();
  const { differences, partitions } = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
  await process.runner.stop();
  expect(differences).toEqual([]);
  return [...partitions].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};

describe('any histories of several scopes and tenants, told at the same time', () => {
  it('give the same read models live, rebuilt while they run, and rebuilt in batches of any size', () =>
    fc.assert(
      fc.asyncProperty(stories, fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 7 }), async (all, liveBatch, otherBatch) => {
        const world = { log: new InMemoryEventLog(), keys: new InMemoryScopeKeys() };
        const disk = emptyDisk();
        const live = aProcess(world, disk, { maxBatch: liveBatch });
        live.runner.start();
        const writing = told(world.log, world.keys, all);
        await new RebuildReadModels(live.stores, live.runner, () => 0).run(20_000);
        await writing;
        await live.settled();
        await live.runner.stop();
        expect(live.errors).toEqual([]);
        const expected = await stateOf(disk);
        expect(await stateOf(await projected(world, emptyDisk()))).toEqual(expected);
        expect(await stateOf(await projected(world, emptyDisk(), otherBatch))).toEqual(expected);
        await fingerprints(world, disk);
      }),
      { numRuns: 12 },
    ), ENOUGH_MS);

  it('come to the same fingerprints each time they are told, however their writers take turns', () =>
    fc.assert(
      fc.asyncProperty(stories, turns, async (all, otherTurns) => {
        const tellings = [all, all.map(({ steps }) => ({ steps, turns: otherTurns })), all.map(({ steps }) => ({ steps, turns: [] }))];
        const [first, ...others] = await Promise.all(
          tellings.map(async (telling) => {
            const world = { log: new InMemoryEventLog(), keys: new InMemoryScopeKeys() };
            await told(world.log, world.keys, telling);
            return fingerprints(world, await projected(world, emptyDisk()));
          }),
        );
        for (const other of others) expect(other).toEqual(first);
      }),
      { numRuns: 8 },
    ), ENOUGH_MS);

  it('are followed without a gap or a double while they are written', () =>
    fc.assert(
      fc.asyncProperty(stories, fc.integer({ min: 1, max: 9 }), async (all, maxBatch) => {
        const log = new InMemoryEventLog();
        const over = new AbortController();
        const following = followed(log, over.signal, maxBatch);
        await told(log, new InMemoryScopeKeys(), all);
        over.abort();
        // Something that comes after all of it: a follower that waits is woken.
        await new Story(log, new InMemoryScopeKeys(), { tenant: tenantId('last'), scope: SCOPE.scope }).begin();
        const written: Position[] = [];
        for await (const { position } of new Journal(log).log.readAll()) written.push(position);
        const met = await following;
        expect(met).toEqual(written.slice(0, met.length));
        expect(met.length).toBeGreaterThanOrEqual(written.length - 3);
      }),
      { numRuns: 15 },
    ), ENOUGH_MS);
});
