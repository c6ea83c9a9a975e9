import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { BlobStore, MessageBus, PartitionLeases, ScopeKeys, Signer } from '@palimpsest/knowledge/ports';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { EraseScope } from '../erase-scope.ts';
import { EraseSubject } from '../erase-subject.ts';
import { EraseTenant } from '../erase-tenant.ts';
import { HistoryRemovals } from '../history/history-removals.ts';
import { HistoryWorker } from '../history/history-worker.ts';
import { ManageHistory } from '../history/manage-history.ts';
import { RemoveHistory } from '../history/remove-history.ts';
import { ErasureWorker } from '../erasure-worker.ts';
import { Erasures } from '../erasures.ts';
import type { Erased } from '../log-records.ts';
import { ManageErasures } from '../manage-erasures.ts';
import { ManageSubjectErasures } from '../manage-subject-erasures.ts';
import { ManageTenantErasures } from '../manage-tenant-erasures.ts';
import type { DerivedStores } from '../purge-derived.ts';
import type { LocalFiles } from '../residue-scans.ts';
import { HistoryController } from './history-controller.ts';
import { ErasureController } from './erasure-controller.ts';
import { SubjectErasureController } from './subject-erasure-controller.ts';
import { TenantErasureController } from './tenant-erasure-controller.ts';

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
  snapshots?: DerivedStores['snapshots'];
  providers: DerivedStores['embeddings'];
  settings: Readonly<{ purgeMs: number }>;
  now: Now;
  onFault: OnFault;
  system: System;
}>;

/** Erases scopes, data subjects and tenants: their keys at once, what was derived from them in the background. Removes old history. */
export const erasure = feature('erasure', (ports: ErasureFeaturePorts) => {
  const { journal, leases, readModels, lexical, pastViews, localFiles, snapshots, settings, now, onFault, system } = ports;
  const stores = {
    ...{ journal, keys: ports.keys, signer: ports.signer, blobs: ports.blobs, bus: ports.bus, readModels, system },
    embeddings: ports.providers,
    ...(lexical ? { purgeReadModels: () => readModels.purge() } : {}),
    ...(lexical && pastViews ? { pastViews } : {}),
    ...(localFiles ? { localFiles } : {}),
    ...(snapshots ? { snapshots } : {}),
    purgeMinutes: settings.purgeMs / 60_000,
  };
  const [scopes, subjects] = [new EraseScope(stores), new EraseSubject(stores)];
  const tenants = new EraseTenant(stores, scopes);
  const steps = {
    adopt: async () => {
      await scopes.adopt();
      await subjects.adopt();
    },
    run: async (of: Erased, signal: AbortSignal) => {
      if ('subject' in of) return subjects.run(of, signal);
      await ('whole' in of ? tenants.run(of.tenant, signal) : scopes.run(of, signal));
      return true;
    },
  };
  const forget = (of: Erased): void => {
    if ('subject' in of) subjects.forgetSamples(of);
    else if ('scope' in of) scopes.forget(of);
  };
  const erasures = new Erasures({
    journal,
    system,
    onFault,
    onCompleted: forget,
  });
  const history = new RemoveHistory(stores);
  const removals = new HistoryRemovals({ journal, system, onFault });
  return {
    followers: [erasures, removals],
    useCases: [
      new ManageErasures({ journal, steps: scopes, readModels, ids: system.ids, now }),
      new ManageTenantErasures(tenants),
      new ManageHistory({ journal, steps: history, system }),
      new ManageSubjectErasures({ keys: ports.keys, steps: subjects, readModels }),
    ],
    consumers: [
      new ErasureWorker({ journal, leases, erasures, steps, onFault, system }),
      new HistoryWorker({ journal, leases, removals, steps: history, onFault, system }),
    ],
    routes: [ErasureController, SubjectErasureController, TenantErasureController, HistoryController],
  };
});
