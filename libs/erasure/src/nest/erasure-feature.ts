import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { BlobStore, MessageBus, PartitionLeases, ScopeKeys, Signer } from '@palimpsest/knowledge/ports';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { EraseScope } from '../erase-scope.ts';
import { ErasureWorker } from '../erasure-worker.ts';
import { Erasures } from '../erasures.ts';
import { ManageErasures } from '../manage-erasures.ts';
import type { DerivedStores } from '../purge-derived.ts';
import type { LocalFiles } from '../residue-scans.ts';
import { ErasureController } from './erasure-controller.ts';

export type ErasureFeaturePorts = Readonly<{
  journal: Journal;
  keys: ScopeKeys;
  signer: Signer;
  blobs: BlobStore;
  bus: MessageBus;
  leases: PartitionLeases;
  readModels: DerivedStores['readModels'] & Readonly<{ purge: () => Promise<void> }>;
  /** Missing in a process that answers no searches: then others remove what searches read. */
  lexical?: object;
  pastViews?: DerivedStores['pastViews'];
  localFiles?: LocalFiles;
  providers: DerivedStores['embeddings'];
  settings: Readonly<{ purgeMs: number }>;
  now: Now;
  onFault: OnFault;
  system: System;
}>;

/** Erases scopes: their keys at once, what was derived from them in the background. */
export const erasure = feature('erasure', (ports: ErasureFeaturePorts) => {
  const { journal, leases, readModels, lexical, pastViews, localFiles, settings, now, onFault, system } = ports;
  const steps = new EraseScope({
    ...{
      journal,
      keys: ports.keys,
      signer: ports.signer,
      blobs: ports.blobs,
      bus: ports.bus,
      readModels,
      embeddings: ports.providers,
      system,
    },
    ...(lexical ? { purgeReadModels: () => readModels.purge() } : {}),
    ...(lexical && pastViews ? { pastViews } : {}),
    ...(localFiles ? { localFiles } : {}),
    purgeMinutes: settings.purgeMs / 60_000,
  });
  const erasures = new Erasures({ journal, system, onFault, onCompleted: (scope) => steps.forget(scope) });
  return {
    followers: [erasures],
    useCases: [new ManageErasures({ journal, steps, readModels, ids: system.ids, now })],
    consumers: [new ErasureWorker({ journal, leases, erasures, steps, onFault, system })],
    routes: [ErasureController],
  };
});
