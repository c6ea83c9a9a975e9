import { nameOf } from '@palimpsest/contracts/http';
import { timestamp } from '@palimpsest/foundation';
import { START } from '@palimpsest/knowledge/values';
import { LogGoldenQueries } from '@palimpsest/golden';
import { ApiKeys } from '@palimpsest/tenancy';
import { Buses } from '@palimpsest/runtime';
import { contractsOf, LiveLog, LiveStreams, ReadModelWait } from '@palimpsest/http';
import { viewsOf } from './live-views.ts';
import type { CorePorts, SharedPorts } from './core-ports.ts';
import type { Feature, FeatureParts, Offers, Task } from '@palimpsest/runtime';
import type { Platform } from './platform.ts';
import { createQuotas } from './create-quotas.ts';

type AnyFeature = Feature<never>;
type Intersected<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;
type PartsOf<Features extends readonly AnyFeature[]> = ReturnType<Features[number]['open']>;
type Opens<One> = One extends { open: (ports: infer Ports) => unknown } ? (ports: Ports) => void : never;
type Needs<Features extends readonly AnyFeature[]> = Opens<Features[number]> extends (ports: infer All) => void ? All : never;

/** The ports that these features need. The compiler refuses a process whose adapters lack one. */
export type PortsOf<Features extends readonly AnyFeature[]> = CorePorts & Omit<Needs<Features>, keyof SharedPorts>;
/** What these features offer to the process, by name. */
export type OffersOf<Features extends readonly AnyFeature[]> = Intersected<NonNullable<PartsOf<Features>['offers']>>;

/**
 * The features of a process on its adapters: the only place where use cases, background work and routes are put together. Processes
 * differ in their adapters and their list of features.
 */
export const createPlatform = <const Features extends readonly AnyFeature[]>(
  features: Features,
  ports: PortsOf<Features>,
): Platform<OffersOf<Features>> => {
  const { journal, readModels } = ports;
  const shared = sharedPorts(ports);
  // Each feature gets every port; its type says which ones it reads.
  // Not copied: the ports of a description are a proxy (`served-routes.ts`).
  const all = Object.assign(Object.create(ports), shared) as never;
  const parts: readonly FeatureParts[] = features.map(({ open }) => open(all));
  const { apiKeys, quotas, views, live } = shared;
  const buses = new Buses(
    parts.flatMap(({ useCases: each = [] }) => each.flatMap(({ handlers }) => handlers)),
    quotas,
  );
  const routes = parts.flatMap(({ routes: each }) => each);
  requireHandlers(routes, buses);
  const followers = [...accountFollowers(ports, shared), ...parts.flatMap(({ followers: each = [] }) => each)];
  const consumers = parts.flatMap(({ consumers: each = [] }) => each);
  return {
    journal,
    readModels,
    apiKeys,
    quotas,
    buses,
    views,
    offers: merged(parts.map(({ offers = {} }) => offers)) as OffersOf<Features>,
    routes,
    injectables: [buses, live.log, live.streams, new ReadModelWait(readModels), ...parts.flatMap(({ shared: each = [] }) => each)],
    endStreams: () => live.streams.close(),
    ...lifecycle(followers, consumers),
  };
};

const sharedPorts = (ports: CorePorts): SharedPorts => {
  const { journal, onFault, system, settings } = ports;
  const now = (): string => timestamp(system.clock);
  const quotas = createQuotas(ports, now);
  const { scheduler } = system;
  return {
    now,
    apiKeys: new ApiKeys(journal, now, system),
    quotas,
    goldenQueries: new LogGoldenQueries(journal),
    views: viewsOf(ports),
    live: {
      log: new LiveLog(journal.log, { scheduler, onError: (error) => onFault(error, 'following the log for live streams') }),
      streams: new LiveStreams({
        scheduler,
        maxPerTenant: settings.liveStreamsPerTenant,
        mayOpen: (tenant, open) => quotas.liveStream(tenant, open),
        onError: (error) => onFault(error, 'sending a live stream'),
      }),
    },
  };
};

/** @throws Error for a route that needs a key and has no command or query in this process */
const requireHandlers = (routes: FeatureParts['routes'], buses: Buses): void => {
  const missing = routes.flatMap(contractsOf).find((contract) => contract.public !== true && !buses.handles(contract));
  if (missing !== undefined) throw new Error(`no command or query of this process handles ${nameOf(missing)}`);
};

/** @throws Error if two features offer something under the same name: one would silently replace the other */
const merged = (each: readonly Offers[]): Offers => {
  const entries = each.flatMap((offers) => Object.entries(offers));
  const twice = entries.find(([name], at) => entries.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined) throw new Error(`two features offer ${twice[0]}`);
  return Object.fromEntries(entries);
};

/** Keys and limits come first: requests need them, and other projections ask for the weight of a tenant. */
const accountFollowers = ({ onFault }: CorePorts, { apiKeys, quotas }: SharedPorts): readonly Task[] => [
  { start: () => apiKeys.start(START, (error) => onFault(error, 'following API keys')), stop: () => apiKeys.stop() },
  { start: () => quotas.limits.start(START, (error) => onFault(error, 'following the limits of tenants')), stop: () => quotas.stop() },
];

/** A start that fails stops what it started. Consumers stop together, because each may take the whole time that a stop allows. */
const lifecycle = (followers: readonly Task[], consumers: readonly Task[]): Pick<Platform, 'start' | 'stop'> => {
  let started: Readonly<{ followers: readonly Task[]; consumers: readonly Task[] }> = { followers: [], consumers: [] };
  const stop = async (): Promise<void> => {
    const running = started;
    started = { followers: [], consumers: [] };
    await Promise.all(running.consumers.map(async (task) => task.stop()));
    for (const task of running.followers.toReversed()) await task.stop();
  };
  const start = async (): Promise<void> => {
    try {
      for (const task of followers) {
        started = { ...started, followers: [...started.followers, task] };
        await task.start();
      }
      for (const task of consumers) {
        started = { ...started, consumers: [...started.consumers, task] };
        await task.start();
      }
    } catch (error) {
      await stop();
      throw error;
    }
  };
  return { start, stop };
};
