import { feature, type Task } from '@palimpsest/runtime';
import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import { SYSTEM } from '@palimpsest/foundation';
import { unusable } from '@palimpsest/host';
import type { MessageBus } from '@palimpsest/knowledge/ports';
import { aJournal, InMemoryCatalog, InMemoryEventLog, TEST_KEYS } from '@palimpsest/test-kit';
import { createPlatform } from './create-platform.ts';

const somePorts = () => {
  const journal = aJournal(new InMemoryEventLog(), TEST_KEYS);
  return {
    journal,
    catalog: new InMemoryCatalog(),
    readModels: { position: () => 0n as never, reached: async () => true, serving: () => true },
    bus: unusable<MessageBus>('bus'),
    buckets: memoryRateBuckets(),
    onFault: () => undefined,
    system: { ...SYSTEM, clock: { ...SYSTEM.clock, now: () => Date.parse('2026-01-01T00:00:00.000Z') } },
    settings: { tiers: { tiers: {} }, liveStreamsPerTenant: 1 },
  };
};

/** A feature that writes down what happens to its tasks. */
const aFeature = (done: string[], failing?: string) => {
  const task = (name: string): Task => ({
    start: () => {
      done.push(`start ${name}`);
      if (name === failing) throw new Error(`${name} cannot start`);
    },
    stop: async () => void done.push(`stop ${name}`),
  });
  return feature('noted', () => ({
    commands: {},
    queries: {},
    followers: [task('first projection'), task('second projection')],
    consumers: [task('worker')],
    routes: [],
  }));
};

describe('a platform', () => {
  it('starts its projections in order, then its consumers, and stops them the other way round', async () => {
    const done: string[] = [];
    const platform = createPlatform([aFeature(done)], somePorts());
    await platform.start();
    await platform.stop();
    expect(done).toEqual([
      'start first projection',
      'start second projection',
      'start worker',
      'stop worker',
      'stop second projection',
      'stop first projection',
    ]);
  });

  it('stops what it started if a start fails', async () => {
    const done: string[] = [];
    const platform = createPlatform([aFeature(done, 'second projection')], somePorts());
    await expect(platform.start()).rejects.toThrow('second projection cannot start');
    expect(done).toEqual(['start first projection', 'start second projection', 'stop second projection', 'stop first projection']);
    await platform.stop();
    expect(done).toHaveLength(4);
  });

  it('offers the use cases of all features by name, and their classes to controllers', () => {
    class Submit {}
    class Find {}
    const one = feature('one', () => ({ commands: { submit: new Submit() }, queries: {}, routes: [] }));
    const other = feature('other', ({ now }: Readonly<{ now: () => string }>) => ({
      commands: {},
      queries: { find: new Find(), clock: { now } },
      routes: [],
    }));
    const platform = createPlatform([one, other], somePorts());
    expect(platform.commands.submit).toBeInstanceOf(Submit);
    expect([platform.queries.find instanceof Find, platform.queries.clock.now()]).toEqual([true, '2026-01-01T00:00:00.000Z']);
    expect(platform.injectables).toEqual(expect.arrayContaining([platform.commands.submit, platform.queries.find]));
  });

  it('refuses two features with a use case of the same name', () => {
    const named = (name: string) => feature(name, () => ({ commands: { submit: {} }, queries: {}, routes: [] }));
    expect(() => createPlatform([named('one'), named('other')], somePorts())).toThrow('two features have a use case called submit');
  });
});
