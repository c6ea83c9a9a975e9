import fc from 'fast-check';
import type { PastViews, ReadView } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
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
import { applyStep, histories } from '../../test/random-history.ts';
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

/** Views on in-memory sets; `open` holds the sets that exist. */
const viewsOf = ({ log, keys }: Pick<World, 'log' | 'keys'>, options: Partial<ConstructorParameters<typeof KeptPastViews>[1]> = {}) => {
  const open = new Set<Stores>();
  let builds = 0;
  const openScratch = async () => {
    const set = emptyDisk();
    builds += 1;
    open.add(set);
    return { ...set, discard: async () => void open.delete(set) };
  };
  const onFault = (error: unknown): void => {
    throw error;
  };
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
  };
  const views = new KeptPastViews({ journal: aJournal(log, keys), keys, openScratch }, { max: 2, keepMs: 60_000, onFault, ...options });
  opened.push(views);
  return { views, open, until, builds: () => builds };
};

const contentsAt = (views: PastViews, at: Position) => views.at(at, (view) => contentsOf(view as unknown as Stores));

const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  await world.scenario.indexed('b', { texts: ['cedar'] });
  return { ...world, then: await world.log.head() };
};

describe('The view of an earlier position', () => {
  it('is what the live read models were, for any history without deletions', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(), async (history, n) => {
        const world = await aScenario();
        const positions: Position[] = [];
        const steps = history.filter((step) => step.do !== 'delete');
        const at = n % (steps.length + 1);
        for (const step of steps.slice(0, at)) await applyStep(world.scenario, step);
        positions.push(await world.log.head());
        const expected = await contentsOf(await projected(world, emptyDisk()));
        for (const step of steps.slice(at)) await applyStep(world.scenario, step);
        const { views } = viewsOf(world);
        for (const then of positions) expect(await contentsAt(views, then)).toEqual(expected);
        await views.close();
      }),
      { numRuns: 60 },
    ));

  it('does not contain what was deleted since, not even if it was kept', async () => {
    const { then, ...world } = await aWorld();
    const { views, builds } = viewsOf(world);
    expect((await contentsAt(views, then)).lexical).toHaveLength(3);
    await world.scenario.deleted('a');
    const after = await contentsAt(views, then);
    expect([after.lexical.length, after.vectors.length, builds()]).toEqual([1, 1, 2]);
    expect(JSON.stringify(after.rows)).not.toContain('apple');
    const { views: later } = viewsOf(world);
    expect(await contentsAt(later, then)).toEqual(after);
  });

  it('is kept for the next call', async () => {
    const { then, ...world } = await aWorld();
    const { views, builds } = viewsOf(world);
    await world.scenario.indexed('c', { texts: ['damson'] });
    for (let call = 1; call <= 3; call++) await views.at(then, async () => undefined);
    expect(builds()).toBe(1);
  });

  it('is deleted when newer ones need its place, but not while it is used', async () => {
    const { then, ...world } = await aWorld();
    const { views, open, until } = viewsOf(world, { max: 1 });
    let release: (() => void) | undefined;
    const using = views.at(then, (view) => new Promise<ReadView>((resolve) => (release = () => resolve(view))));
    await until(() => release !== undefined);
    const [used] = open;
    await views.at(START, async () => undefined);
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
  const world = { log: new InMemoryEventLog(), keys: new InMemoryScopeKeys() };
  const { views, open } = viewsOf(world);
  return {
    views,
    journal: aJournal(world.log, world.keys),
    close: () => views.close(),
    left: async () => open.size,
    dispose: async () => undefined,
  };
});
