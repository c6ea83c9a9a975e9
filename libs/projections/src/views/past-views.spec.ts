import fc from 'fast-check';
import type { ReadView } from '@palimpsest/knowledge/read-models';
import type { Moment, PastViews } from '@palimpsest/knowledge/past';
import { START, tenantId, type Position } from '@palimpsest/knowledge/values';
import {
  aJournal,
  describePastViews,
  InMemoryEventLog,
  InMemoryScopeKeys,
  type InMemoryCatalog,
  type InMemoryLexicalIndex,
  type InMemoryVectorIndex,
} from '@palimpsest/test-kit';
import { aScenario, emptyDisk, projected } from '../../test/fixture.ts';
import { applyStep, histories, Scenario, SCOPE, theDocument } from '@palimpsest/test-kit/histories';
import type { LiveSet } from './live-copy.ts';
import { KeptPastViews } from './past-views.ts';

type World = Awaited<ReturnType<typeof aScenario>>;
type Stores = Readonly<{ catalog: InMemoryCatalog; vectors: InMemoryVectorIndex; lexical: InMemoryLexicalIndex }>;

const contentsOf = async ({ catalog, vectors, lexical }: Stores) => {
  const entries = async (index: InMemoryVectorIndex | InMemoryLexicalIndex) => {
    const found: string[] = [];
    for (const partition of await index.partitions())
      for await (const entry of index.entries(partition)) found.push(JSON.stringify([partition, entry.chunkId, entry.digest]));
    return found.sort();
  };
  const rows: string[] = [];
  for await (const row of catalog.rows()) rows.push(JSON.stringify(row));
  return { rows: rows.sort(), vectors: await entries(vectors), lexical: await entries(lexical) };
};

const opened: KeptPastViews[] = [];
afterEach(async () => {
  for (const views of opened.splice(0)) await views.close();
});

const liveOf = (disk: Stores): LiveSet => ({ ...disk, reached: async () => true, serving: () => true });

/** Views on in-memory sets; `open` holds the sets that exist. */
const viewsOf = (
  { log, keys }: Pick<World, 'log' | 'keys'>,
  options: Partial<ConstructorParameters<typeof KeptPastViews>[1]> = {},
  live?: () => LiveSet,
) => {
  const open = new Set<Stores>();
  let builds = 0;
  const openScratch = async () => {
    const set = emptyDisk();
    builds += 1;
    open.add(set);
    const view = (position: Position): ReadView => ({ ...set, position: () => position, serving: () => true });
    return { ...set, view, discard: async () => void open.delete(set) };
  };
  const onFault = (error: unknown): void => {
    throw error;
  };
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
  };
  const views = new KeptPastViews(
    { journal: aJournal(log, keys), keys, openScratch, ...(live ? { live } : {}) },
    { max: 2, maxBuilding: { total: 8, tenant: 8 }, keepMs: 60_000, waitMs: 60_000, onFault, ...options },
  );
  opened.push(views);
  return { views, open, until, builds: () => builds };
};

const at = (position: Position): Moment => ({ tenant: SCOPE.tenant, asOf: { position }, scopes: [SCOPE.scope] });
const contentsAt = (views: PastViews, position: Position) => views.at(at(position), (view) => contentsOf(view as unknown as Stores));

const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  await world.scenario.indexed('b', { texts: ['cedar'] });
  return { ...world, then: await world.log.head() };
};

describe('The view of an earlier position', () => {
  it.each([
    ['built from the log', false],
    ['begun as a copy', true],
  ] as const)('is what the live read models were, %s, for any history and any order of questions', (_, copies) =>
    fc.assert(
      fc.asyncProperty(histories, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }), async (history, asked) => {
        const world = await aScenario();
        const lived: { position: Position; contents: unknown }[] = [];
        const live = async (): Promise<void> => {
          lived.push({ position: await world.log.head(), contents: await contentsOf(await projected(world, emptyDisk())) });
        };
        await live();
        for (const step of history) {
          await applyStep(world.scenario, step);
          await live();
        }
        const disk = await projected(world, emptyDisk());
        const { views } = viewsOf(world, {}, copies ? () => liveOf(disk) : undefined);
        for (const n of asked) {
          const { position, contents } = lived[n % lived.length] as (typeof lived)[number];
          expect(await contentsAt(views, position)).toEqual(contents);
        }
        await views.close();
      }),
      { numRuns: 60 },
    ),
  );

  it('contains what was deleted and replaced since', async () => {
    const { then, ...world } = await aWorld();
    const { views } = viewsOf(world);
    await world.scenario.indexed('b', { texts: ['cherry'] });
    await world.scenario.deleted('a');
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
    expect((await contentsAt(views, await world.log.head())).lexical).toHaveLength(1);
  });

  it('contains nothing of another tenant', async () => {
    const { then, ...world } = await aWorld();
    const other = { tenant: tenantId('other'), scope: SCOPE.scope };
    await new Scenario(world.log, world.keys, other).begin();
    const { views } = viewsOf(world);
    const seen = await views.at({ tenant: other.tenant, asOf: { position: await world.log.head() }, scopes: [] }, (view) =>
      contentsOf(view as unknown as Stores),
    );
    expect(JSON.stringify(seen)).not.toContain('acme');
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
  });

  it('is begun as a copy of the live read models, with other documents as they were', async () => {
    const { then, ...world } = await aWorld();
    await world.scenario.indexed('b', { texts: ['cherry'] });
    const live = await projected(world, emptyDisk());
    const copied = await contentsAt(viewsOf(world, {}, () => liveOf(live)).views, then);
    // Documents that did not change are not read.
    const read: string[] = [];
    const readStream = world.log.readStream.bind(world.log);
    world.log.readStream = (stream, options) => (read.push(stream), readStream(stream, options));
    const { views, builds, open } = viewsOf(world, {}, () => liveOf(live));
    expect(await contentsAt(views, then)).toEqual(copied);
    expect(read.filter((stream) => stream.startsWith('document')).map((stream) => stream.includes(theDocument('b')))).toEqual([true]);
    expect([builds(), open.size]).toEqual([1, 1]);
  });

  it.each([
    ['is damaged', { serving: () => false }],
    ['has not reached the position', { reached: async () => false }],
  ])('is built from the log while the live set %s', async (_, state) => {
    const { then, ...world } = await aWorld();
    const { views, open } = viewsOf(world, {}, () => ({ ...liveOf(emptyDisk()), ...state }));
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
    expect(open.size).toBe(1);
  });

  it('is built from the log after a copy that failed, of which nothing is left', async () => {
    const { then, ...world } = await aWorld();
    const live = await projected(world, emptyDisk());
    live.vectors.partitions = () => Promise.reject(new Error('the disk is full'));
    const faults: unknown[] = [];
    const onFault = (error: unknown, doing: string): void => void faults.push([String(error), doing]);
    const { views, open } = viewsOf(world, { onFault }, () => liveOf(live));
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
    expect([open.size, faults]).toEqual([1, [['Error: the disk is full', 'copying']]]);
  });

  it('is kept for the next call', async () => {
    const { then, ...world } = await aWorld();
    const { views, builds } = viewsOf(world);
    await world.scenario.indexed('c', { texts: ['damson'] });
    for (let call = 1; call <= 3; call++) await views.at(at(then), async () => undefined);
    expect(builds()).toBe(1);
  });

  it('serves later positions before the next change, and is built further for those after it', async () => {
    const { then, ...world } = await aWorld();
    const { views, builds } = viewsOf(world);
    await views.at(at(then), async () => undefined);
    await new Scenario(world.log, world.keys, { tenant: tenantId('other'), scope: SCOPE.scope }).begin();
    const unchanged = await world.log.head();
    const [before, same] = [await contentsAt(views, then), await contentsAt(views, unchanged)];
    expect(same).toEqual(before);
    expect(await views.at(at(unchanged), async (view) => view.position())).toBe(unchanged);
    await world.scenario.indexed('c', { texts: ['damson'] });
    expect((await contentsAt(views, await world.log.head())).lexical).toHaveLength(4);
    expect(builds()).toBe(1);
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
    expect(builds()).toBe(2);
  });

  it('is not built further while it is used', async () => {
    const { then, ...world } = await aWorld();
    const { views, builds } = viewsOf(world);
    await world.scenario.indexed('c', { texts: ['damson'] });
    const counts = await views.at(at(then), async (view) => [
      (await contentsAt(views, await world.log.head())).lexical.length,
      (await contentsOf(view as unknown as Stores)).lexical.length,
    ]);
    expect([counts, builds()]).toEqual([[4, 3], 2]);
  });

  it('lets a caller wait only for a while, and is there for the next call', async () => {
    const { then, ...world } = await aWorld();
    let release: (() => void) | undefined;
    const open = world.log.readAll.bind(world.log);
    world.log.readAll = async function* (options) {
      await new Promise<void>((resolve) => (release = resolve));
      yield* open(options);
    };
    const { views } = viewsOf(world, { waitMs: 5 });
    await expect(contentsAt(views, then)).rejects.toMatchObject({ code: 'NotCaughtUp', message: expect.stringMatching(/\(0 %\)/) });
    world.log.readAll = open;
    release?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
  });

  it('is refused while too many others are being built', async () => {
    const { then, ...world } = await aWorld();
    const { views } = viewsOf(world, { maxBuilding: { total: 8, tenant: 1 } });
    const outcomes = await Promise.allSettled([contentsAt(views, then), contentsAt(views, START)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'Overloaded', retryAfterSeconds: 5 });
    expect((await contentsAt(views, START)).lexical).toHaveLength(0);
    const other = { tenant: tenantId('other'), asOf: { position: START }, scopes: [] };
    const both = [views.at(other, async (view) => view.position()), contentsAt(views, then)];
    expect(await Promise.all(both)).toEqual([START, await contentsAt(views, then)]);
  });

  it('is deleted when newer ones need its place, but not while it is used', async () => {
    const { then, ...world } = await aWorld();
    const { views, open, until } = viewsOf(world, { max: 1 });
    let release: (() => void) | undefined;
    const using = views.at(at(then), (view) => new Promise<ReadView>((resolve) => (release = () => resolve(view))));
    await until(() => release !== undefined);
    const [used] = open;
    await views.at(at(START), async () => undefined);
    await until(() => open.size === 1);
    expect(open.has(used as Stores)).toBe(true);
    release?.();
    await using;
    await contentsAt(views, START);
    await until(() => open.size === 1);
    expect(open.has(used as Stores)).toBe(false);
    await views.close();
    expect(open.size).toBe(0);
  });

  it('is deleted after its time, and by the end of the process', async () => {
    const { then, ...world } = await aWorld();
    const short = viewsOf(world, { keepMs: 1 });
    await contentsAt(short.views, then);
    await short.until(() => short.open.size === 0);
    await contentsAt(short.views, then);
    expect(short.builds()).toBe(2);
    await short.views.close();
    expect(short.open.size).toBe(0);
    await expect(contentsAt(short.views, then)).rejects.toThrow('stopping');
  });

  it('leaves nothing behind when it cannot be built, and is built by the next call', async () => {
    const { then, ...world } = await aWorld();
    const { views, open } = viewsOf(world);
    const damaged = world.log.readAll.bind(world.log);
    world.log.readAll = () => {
      throw new Error('unreadable');
    };
    await expect(contentsAt(views, then)).rejects.toThrow('unreadable');
    expect(open.size).toBe(0);
    world.log.readAll = damaged;
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
  });
});

describePastViews('KeptPastViews on sets in memory', async () => {
  const world = { log: new InMemoryEventLog({ now: () => Date.now() }), keys: new InMemoryScopeKeys() };
  const { views, open } = viewsOf(world);
  return {
    views,
    journal: aJournal(world.log, world.keys),
    close: () => views.close(),
    left: async () => open.size,
    dispose: async () => undefined,
  };
});
