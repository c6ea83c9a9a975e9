import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { Checkpoints, LeaseMembership, MessageBus, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import { feature, type Task } from '@palimpsest/runtime';
import { CatalogHeldDocuments } from '../held-documents.ts';
import { Relay } from '../relay.ts';
import type { RelayOptions } from '../relay-run.ts';

export type RelayFeaturePorts = Readonly<{
  journal: Journal;
  bus: MessageBus;
  checkpoints: Checkpoints;
  catalog: Catalog;
  readModels: ReadModels;
  leases: PartitionLeases;
  quotas: Pick<QuotaPolicy, 'of'>;
  /** Set where the workers of all processes handle more than 8 documents concurrently. */
  relay?: RelayOptions;
  system: System;
}>;

/** Publishes the work that events cause. Of all processes, one does. */
export const relay = feature(
  'relay',
  ({ journal, bus, checkpoints, catalog, readModels, leases, quotas, relay: options, system }: RelayFeaturePorts) => {
    const work = new Relay(journal, bus, checkpoints, new CatalogHeldDocuments(catalog, readModels), {
      ...options,
      system,
      weightOf: (tenant) => quotas.of(tenant).limits.weight ?? 1,
    });
    return { followers: [relaying(work, leases)], routes: [] };
  },
);

const relaying = (work: Relay, leases: PartitionLeases): Task => {
  let membership: LeaseMembership | undefined;
  return {
    start: async () => void (membership = await leases.join('relay', 1, (_, signal) => work.run(signal))),
    stop: async () => membership?.leave(),
  };
};
