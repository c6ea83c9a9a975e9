import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { RateBuckets, Tiers } from '@palimpsest/knowledge/limits';
import type { GoldenQueries, MessageBus } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, ReadModels, VectorIndex, Views } from '@palimpsest/knowledge/read-models';
import type { Readers } from '@palimpsest/projections';
import type { ApiKeys, TenantQuotaPolicy } from '@palimpsest/tenancy';
import type { LiveLog, LiveStreams } from '@palimpsest/http';
import type { Now, OnFault } from '@palimpsest/runtime';

export type CoreSettings = Readonly<{ tiers: Tiers; liveStreamsPerTenant: number }>;

/** What every process has, whatever its features. A process that answers no searches has no indexes. */
export type CorePorts = Readonly<{
  journal: Journal;
  catalog: Catalog;
  vectors?: VectorIndex;
  lexical?: LexicalIndex;
  readModels: ReadModels;
  bus: MessageBus;
  /** Counts the requests of rate limits. */
  buckets: RateBuckets;
  onFault: OnFault;
  /** Time, chance, ids and delayed work of the process. */
  system: System;
  settings: CoreSettings;
}>;

/** What `createPlatform` makes of these ports, for all features. */
export type SharedPorts = Readonly<{
  now: Now;
  apiKeys: ApiKeys;
  quotas: TenantQuotaPolicy;
  goldenQueries: GoldenQueries;
  /** What queries read from. */
  views: Views & Readers;
  /** One subscription of the log, and one limit of streams, for all features. */
  live: Readonly<{ log: LiveLog; streams: LiveStreams }>;
}>;
