import { timestamp } from '@palimpsest/foundation';
import { START } from '@palimpsest/knowledge/values';
import { ApiKeys, LiveLog, LiveStreams, ReadModelWait, viewsOf } from '@palimpsest/runtime';
import type { CorePorts, Feature, FeatureParts, Platform, SharedPorts, Task, UseCases } from '@palimpsest/runtime';
import { createQuotas } from './create-quotas.ts';

type AnyFeature = Feature<never>;
type Intersected<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;
type PartsOf<Features extends readonly AnyFeature[]> = ReturnType<Features[number]['open']>;
type Opens<One> = One extends { open: (ports: infer Ports) => unknown } ? (ports: Ports) => void : never;
type Needs<Features extends readonly AnyFeature[]> = Opens<Features[number]> extends (ports: infer All) => void ? All : never;

/** The ports that these features need. The compiler refuses a process whose adapters lack one. */
export type PortsOf<Features extends readonly AnyFeature[]> = CorePorts & Omit<Needs<Features>, keyof SharedPorts>;
export type CommandsOf<Features extends readonly AnyFeature[]> = Intersected<PartsOf<Features>['commands']>;
export type QueriesOf<Features extends readonly AnyFeature[]> = Intersected<PartsOf<Features>['queries']>;

/**
 * The features of a process on its adapters: the only place where use cases, background work and routes are put together. Processes
 * differ in their adapters and their list of features.
 */
export const createPlatform = <const Features extends readonly AnyFeature[]>(
  features: Features,
  ports: PortsOf<Features>,
): Platform<CommandsOf<Features>, QueriesOf<Features>> => {
  const { journal, readModels } = ports;
  const shared = sharedPorts(ports);
  // Each feature gets every port; its type says which ones it reads.
  // Not copied: the ports of a description are a proxy (`served-routes.ts`).
  const all = Object.assign(Object.create(ports), shared) as never;
  const parts: readonly FeatureParts[] = features.map(({ open }) => open(all));
  const { apiKeys, quotas, views, live } = shared;
  const useCases = parts.map(({ commands, queries }) => ({ ...commands, ...queries }));
  const followers = [...accountFollowers(ports, shared), ...parts.flatMap(({ followers: each = [] }) => each)];
  const consumers = parts.flatMap(({ consumers: each = [] }) => each);
  return {
    journal,
    readModels,
    apiKeys,
    quotas,
    views,
    commands: merged(parts.map(({ commands }) => commands)) as CommandsOf<Features>,
    queries: merged(parts.map(({ queries }) => queries)) as QueriesOf<Features>,
    routes: parts.flatMap(({ routes }) => routes),
    injectables: [
      apiKeys,
      quotas,
      live.log,
      live.streams,
      new ReadModelWait(readModels),
      ...useCases.flatMap((each) => Object.values(each)),
      ...parts.flatMap(({ shared: each = [] }) => each),
    ],
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

/** @throws Error if two features have a use case of the same name: one would silently replace the other */
const merged = (each: readonly UseCases[]): UseCases => {
  const entries = each.flatMap((useCases) => Object.entries(useCases));
  const twice = entries.find(([name], at) => entries.findIndex(([other]) => other === name) !== at);
  if (twice !== undefined) throw new Error(`two features have a use case called ${twice[0]}`);
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
