import { Journal } from '@palimpsest/contracts';
import { SYSTEM, type System } from '@palimpsest/foundation';
import { documentStream, knowledgeBase, knowledgeBaseStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { embeddingVersion, recipeWith, type TenantScope } from '@palimpsest/knowledge/values';
import { InMemoryBlobStore, InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { BASE, Scenario, SCOPE, theDocument } from '@palimpsest/test-kit/histories';
import { HistoryRemovals } from './history-removals.ts';
import { HistoryWorker } from './history-worker.ts';
import { RemoveHistory } from './remove-history.ts';

const BY = { actor: 'key:ci', correlationId: 'r-1' };
const NOW = '2026-11-28T08:00:00.000Z';
const DAY_MS = 86_400_000;
const signal = new AbortController().signal;
const never = (): never => {
  throw new Error('nothing is scheduled here');
};

/** Two versions of a document, and a deleted document. `now`: of the clock, in Unix ms. */
const aWorld = async () => {
  let now = Date.parse(NOW);
  const [log, keys] = [new InMemoryEventLog({ now: () => now }), new InMemoryScopeKeys()];
  const scenario = await new Scenario(log, keys).begin();
  const journal = new Journal(log, keys);
  await scenario.indexed('a', { texts: ['apple', 'berry'] });
  await scenario.indexed('a', { texts: ['apple', 'cherry'] });
  await scenario.indexed('b', { texts: ['date'] });
  await scenario.deleted('b');
  const system: System = { ...SYSTEM, clock: { ...SYSTEM.clock, now: () => now } };
  const forgotten: string[] = [];
  const steps = new RemoveHistory({
    ...{ journal, blobs: new InMemoryBlobStore(), system },
    readModels: { reached: async () => true },
    pastViews: { forget: async (tenant) => void forgotten.push(tenant) },
    embeddings: { forget: async () => undefined },
  });
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const removals = new HistoryRemovals({ journal, system, onFault });
  const worker = new HistoryWorker({ journal, leases: { join: never } as never, removals, steps, onFault, system });
  const eventsOf = async (name: string) => {
    let events = 0;
    for await (const _ of log.readStream(documentStream(SCOPE.tenant, theDocument(name)))) events += 1;
    return events;
  };
  return {
    ...{ log, journal, keys, scenario, steps, removals, worker, forgotten, faults, eventsOf },
    start: async (of: TenantScope = SCOPE) => steps.start(of, { upTo: await log.head(), keepDays: 0 }),
    state: async () => (await steps.load(SCOPE)).state,
    pass: (days: number) => void (now += days * DAY_MS),
    order: (command: object) =>
      journal.execute(scopeDecider, scopeStream(SCOPE), { scope: SCOPE.scope, now: NOW, ...command } as never, { ...SCOPE, ...BY }),
    keepDays: async (historyDays: number) => {
      const { state } = await journal.load(knowledgeBase, knowledgeBaseStream(SCOPE.tenant, BASE));
      const settings = { ...('settings' in state ? state.settings : never()), historyDays };
      const command = { type: 'Configure' as const, id: BASE, settings, now: NOW };
      await journal.execute(knowledgeBase, knowledgeBaseStream(SCOPE.tenant, BASE), command, { ...SCOPE, ...BY });
    },
  };
};

describe('The removal of old history from a scope', () => {
  it('says what it removed, and forgets the moments of the tenant', async () => {
    const { start, steps, state, forgotten } = await aWorld();
    await start();
    expect(await steps.run(SCOPE, signal)).toBe(true);
    expect((await state()).running).toBeUndefined();
    expect((await state()).last).toMatchObject({ documents: 2, uploads: 2, left: 0 });
    expect(forgotten).toEqual([SCOPE.tenant]);
  });

  it('is refused while the scope is held, and waits if it is held later', async () => {
    const { start, steps, order, eventsOf, state } = await aWorld();
    const events = await eventsOf('a');
    await order({ type: 'Hold', reason: 'case 17' });
    await expect(start()).rejects.toThrow(Conflict);
    expect((await state()).earliest).toBe(0n);
    await order({ type: 'Release' });
    await start();
    await order({ type: 'Hold', reason: 'case 18' });
    expect([await steps.run(SCOPE, signal), await eventsOf('a')]).toEqual([false, events]);
    await order({ type: 'Release' });
    expect(await steps.run(SCOPE, signal)).toBe(true);
    expect(await eventsOf('a')).toBeLessThan(events);
  });

  it('waits while a generation is being built', async () => {
    const { start, steps, order } = await aWorld();
    await order({ type: 'StartGeneration', recipe: recipeWith({ version: embeddingVersion('fake:two/8') }) });
    await start();
    expect(await steps.run(SCOPE, signal)).toBe(false);
  });

  it('ends with the erasure of the scope, and cannot start after it', async () => {
    const { start, steps, order, keys, state } = await aWorld();
    await start();
    await order({ type: 'RequestErasure', erasure: '0f8fad5b-d9cb-469f-a165-70867728950e' });
    await keys.destroy(SCOPE);
    expect(await steps.run(SCOPE, signal)).toBe(true);
    expect((await state()).running).toBeUndefined();
    await expect(start()).rejects.toThrow(ScopeKeyDestroyed);
  });

  it('takes a version that was submitted before the last removal and indexed after it', async () => {
    const { scenario, start, steps, eventsOf } = await aWorld();
    await scenario.submitted('a', { texts: ['elder'] });
    await start();
    await steps.run(SCOPE, signal);
    const waiting = await eventsOf('a');
    await scenario.processed('a', { texts: ['elder'] });
    await scenario.completed('a', { texts: ['elder'] });
    await start();
    await steps.run(SCOPE, signal);
    expect(await eventsOf('a')).toBeLessThan(waiting);
  });
});

describe('History that is kept for some days', () => {
  const retained = async () => {
    const world = await aWorld();
    await world.removals.start();
    return { ...world, apply: () => world.worker.applyRetentions(signal), stop: () => world.removals.stop() };
  };
  const follow = async ({ removals, log }: Awaited<ReturnType<typeof retained>>): Promise<void> => removals.reached(await log.head());

  it('stays without a number of days, and until they have passed; then it is removed once', async () => {
    const world = await retained();
    const { apply, keepDays, pass, state, stop, faults } = world;
    pass(400);
    await apply();
    expect((await state()).last).toBeUndefined();
    await keepDays(500);
    await follow(world);
    await apply();
    expect((await state()).last).toBeUndefined();
    pass(101);
    await apply();
    const { last } = await state();
    expect(last).toMatchObject({ documents: 2, left: 0, knowledgeBase: BASE });
    await apply();
    expect((await state()).last).toEqual(last);
    await stop();
    expect(faults).toEqual([]);
  });

  it('stays, and so do its moments, while the scope is held or a generation is being built', async () => {
    const world = await retained();
    const { apply, keepDays, pass, state, stop, order } = world;
    await keepDays(1);
    await follow(world);
    pass(2);
    await order({ type: 'Hold', reason: 'case 17' });
    await apply();
    await order({ type: 'Release' });
    await order({ type: 'StartGeneration', recipe: recipeWith({ version: embeddingVersion('fake:two/8') }) });
    await apply();
    expect(await state()).toMatchObject({ earliest: 0n });
    expect((await state()).running).toBeUndefined();
    await stop();
  });

  it('is removed after its knowledge base was deleted, too', async () => {
    const world = await retained();
    const { apply, keepDays, pass, state, stop, scenario } = world;
    await keepDays(1);
    await scenario.baseEnded('deleted');
    await follow(world);
    pass(2);
    await apply();
    expect((await state()).last).toMatchObject({ documents: 2, knowledgeBase: BASE });
    await stop();
  });
});
