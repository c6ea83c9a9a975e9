import 'reflect-metadata';
import { type CallerView } from '@palimpsest/contracts/http';
import { getCaller } from '@palimpsest/contracts/routes/api-keys';
import { NO_ROWS, on, query, type Caller, type UseCase } from '@palimpsest/knowledge/messages';
import { tenantId } from '@palimpsest/knowledge/values';
import { feature, type Task } from '@palimpsest/runtime';
import { Route } from '@palimpsest/http';
import { memoryRateBuckets } from '@palimpsest/adapters-rate-limits';
import { SYSTEM } from '@palimpsest/foundation';
import { unusable } from './unusable.ts';
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

  it('has what its features offer, by name, and injects what controllers share', () => {
    class Shared {}
    const one = feature('one', () => ({ offers: { records: { dropped: 3 } }, shared: [new Shared()], routes: [] }));
    const other = feature('other', ({ now }: Readonly<{ now: () => string }>) => ({ offers: { clock: { now } }, routes: [] }));
    const nothing = feature('nothing', () => ({ routes: [] }));
    const platform = createPlatform([one, other, nothing], somePorts());
    expect([platform.offers.records.dropped, platform.offers.clock.now()]).toEqual([3, '2026-01-01T00:00:00.000Z']);
    expect(platform.injectables).toEqual(expect.arrayContaining([platform.buses, expect.any(Shared)]));
  });

  it('refuses two features that offer something under the same name', () => {
    const named = (name: string) => feature(name, () => ({ offers: { records: {} }, routes: [] }));
    expect(() => createPlatform([named('one'), named('other')], somePorts())).toThrow('two features offer records');
  });

  it('sends a message to the use case of any of its features', async () => {
    const callers = feature('caller', () => ({ useCases: [describing], routes: [CallerRoutes] }));
    const platform = createPlatform([callers], somePorts());
    expect(await platform.buses.execute(new DescribeCaller(CALLER))).toMatchObject({ tenant: 'acme' });
  });

  it('refuses a message that two use cases handle', () => {
    const named = (name: string) => feature(name, () => ({ useCases: [describing], routes: [] }));
    expect(() => createPlatform([named('one'), named('other')], somePorts())).toThrow('the query DescribeCaller has two handlers');
  });

  it('refuses a route without a command or query', () => {
    const forgotten = feature('caller', () => ({ routes: [CallerRoutes] }));
    expect(() => createPlatform([forgotten], somePorts())).toThrow('no command or query of this process handles GET /v1/me');
  });
});

class DescribeCaller extends query<void, CallerView>(getCaller, NO_ROWS) {}
const describing: UseCase = { handlers: [on(DescribeCaller, ({ access: { tenant } }) => ({ tenant, teams: [], roles: [] }))] };
const CALLER: Caller = { access: { tenant: tenantId('acme'), teams: [], roles: [], actor: 'key:1' }, correlationId: 'c1' };

class CallerRoutes {
  @Route(getCaller)
  me() {
    return { tenant: 'acme', teams: [], roles: [] };
  }
}
