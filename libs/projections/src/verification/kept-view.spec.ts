import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { RecordedEvent, ReadAllOptions } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';
import { damages, plant } from '../../test/damage.ts';
import { anExchangingProcess } from '../../test/exchanging-process.ts';
import { aProcess, aScenario, DIGESTS, emptyDisk } from '../../test/fixture.ts';
import { applyStep, histories } from '@palimpsest/test-kit/histories';
import { keyOf } from './difference.ts';
import { VerifyReadModels, type Verification } from './verify-read-models.ts';

type World = Awaited<ReturnType<typeof aScenario>>;

/** A process on a log whose reads are counted by their first position. */
const aCountedProcess = async (options: ConstructorParameters<typeof VerifyReadModels>[3] = {}) => {
  const world = await aScenario();
  const readsFrom: Position[] = [];
  const log = new Proxy(world.log, {
    get: (target, property) => {
      if (property === 'readAll')
        return (read: ReadAllOptions = {}): AsyncIterable<RecordedEvent> => {
          readsFrom.push((read.from ?? 0n) as Position);
          return target.readAll(read);
        };
      const found: unknown = Reflect.get(target, property);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
  const disk = emptyDisk();
  const process = aProcess({ log, keys: world.keys }, disk);
  process.runner.start();
  const verify = new VerifyReadModels(process.stores, process.runner, DIGESTS, options);
  return { ...process, ...world, disk, verify, readsFrom };
};

const comparable = ({ position, partitions, differences, clean }: Verification) => ({
  position,
  partitions,
  clean,
  differences: differences.map((difference) => `${difference.kind} ${keyOf(difference)}`).sort(),
});

describe('What a verification keeps', () => {
  it('gives the same result as a verification from the start of the log, for any history with any damage', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.array(fc.option(damages), { maxLength: 14 }), async (history, harm) => {
        const world: World = await aScenario();
        const disk = emptyDisk();
        const process = aProcess(world, disk);
        process.runner.start();
        const kept = new VerifyReadModels(process.stores, process.runner, DIGESTS);
        for (const [i, step] of history.entries()) {
          await applyStep(world.scenario, step);
          await process.settled();
          const planted = harm[i];
          if (planted) await process.runner.whilePaused(() => plant(disk, planted, process.runner.position()));
          const incremental = await kept.run();
          const full = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
          expect(comparable(incremental)).toEqual(comparable(full));
          expect([incremental.full, full.full]).toEqual([i === 0, true]);
        }
        await process.runner.stop();
      }),
      { numRuns: 40 },
    ));

  it('is built further from newer facts only, and again from the start for a full one', async () => {
    const { scenario, verify, readsFrom, runner, log } = await aCountedProcess();
    await scenario.indexed('a', { texts: ['apple'] });
    expect((await verify.run()).full).toBe(true);
    const head = await log.head();
    await scenario.indexed('b', { texts: ['berry'] });
    readsFrom.length = 0;
    expect(await verify.run()).toMatchObject({ full: false, clean: true, partitions: [{ chunks: 2 }] });
    expect(readsFrom.filter((from) => from < head)).toEqual([]);
    expect((await verify.run({ full: true })).full).toBe(true);
    expect(readsFrom).toContain(0n);
    await verify.close();
    await runner.stop();
  });

  it('is not kept if it is too large, and after a failure', async () => {
    const { scenario, verify, runner } = await aCountedProcess({ maxEntries: 3 });
    await scenario.indexed('a', { texts: ['apple'] });
    await verify.run();
    expect((await verify.run()).full).toBe(false);
    await expect(
      verify.atView(async () => {
        throw new Unavailable('planted');
      }),
    ).rejects.toThrow('planted');
    expect((await verify.run()).full).toBe(true);
    await scenario.indexed('b', { texts: ['berry'] });
    await verify.run();
    expect((await verify.run()).full).toBe(true);
    await runner.stop();
  });

  it('follows the log meanwhile, so that it holds no deleted titles', async () => {
    let refresh: () => void = () => undefined;
    const every = (_: number, run: () => void) => {
      refresh = run;
      return () => undefined;
    };
    const system = { ...SYSTEM, scheduler: { ...SYSTEM.scheduler, every } };
    const { scenario, verify, runner, settled } = await aCountedProcess({ system });
    await scenario.indexed('a', { texts: ['apple'] });
    await verify.run();
    await scenario.deleted('a');
    await settled();
    refresh();
    await verify.atView(async (view) => expect((await view.catalog.documentCounts()).total).toBe(0));
    await runner.stop();
  });

  it('stays right when a rebuild exchanges the read models', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
    const { stores, runner, rebuild, disk } = await anExchangingProcess(world);
    const verify = new VerifyReadModels(stores, runner, DIGESTS);
    const before = await verify.run();
    await runner.whilePaused(() => plant(disk, { harm: 'missing', store: 'vectors', entry: 0 }, runner.position()));
    expect((await verify.run()).differences).toHaveLength(1);
    await rebuild.run({ by: 'spec' });
    await world.scenario.indexed('a', { texts: ['cedar'] });
    expect(await verify.run()).toMatchObject({ full: false, clean: true });
    expect(before.clean).toBe(true);
    await runner.stop();
  });
});

describe('A verification that is stopped', () => {
  it('ends with Unavailable, also while the log is checked', async () => {
    const { verify, runner, stores, scenario } = await aCountedProcess();
    await scenario.indexed('a', { texts: ['apple'] });
    const checked = Promise.withResolvers<readonly string[]>();
    Object.assign(stores.journal.log, { check: () => checked.promise });
    const running = verify.run();
    const closed = verify.close();
    await expect(running).rejects.toThrow('the process is stopping');
    await closed;
    checked.resolve([]);
    await runner.stop();
  });
});
