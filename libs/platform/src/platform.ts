import type { Type } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { ReadModels, Views } from '@palimpsest/knowledge/read-models';
import type { ApiKeys, TenantQuotaPolicy } from '@palimpsest/tenancy';
import type { Buses, Offers } from '@palimpsest/runtime';

/** What the HTTP edge needs of a platform. */
export type ServedPlatform = Readonly<{
  journal: Journal;
  readModels: ReadModels;
  apiKeys: ApiKeys;
  quotas: TenantQuotaPolicy;
  /** Sends commands and queries. */
  buses: Buses;
  /** Controllers of all features, and what they ask for by its class: the buses, and few other objects. */
  routes: readonly Type[];
  injectables: readonly object[];
  /** Ends live streams, which otherwise never end. */
  endStreams: () => Promise<void>;
}>;

/** The features of a process on its adapters. It closes no adapter. */
export type Platform<Offered = Offers> = ServedPlatform &
  Readonly<{
    /** What the features offer to the process. */
    offers: Offered;
    views: Views;
    /** Starts the projections, then the consumers. Resolves when keys and limits are as the log says. */
    start: () => Promise<void>;
    /** Stops the consumers, then the projections. Call it after the last request was answered. */
    stop: () => Promise<void>;
  }>;
