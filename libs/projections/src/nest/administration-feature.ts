import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import type { BlobStore, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';
import { feature, type OnFault } from '@palimpsest/runtime';
import { administerReadModels } from '../administer-read-models.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import type { Digests } from '../views/log-view.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { Readers } from '../rebuilds/rebuild-pace.ts';
import { RebuildReadModels } from '../rebuilds/rebuild-read-models.ts';
import { administerVerification, type VerificationSettings } from '../verification/administer-verification.ts';
import { recordView } from '../verification/record-view.ts';
import { RepairReadModels } from '../verification/repair-read-models.ts';
import { Verifications } from '../verification/verifications.ts';
import { VerifyReadModels, type CheckKeyFiles } from '../verification/verify-read-models.ts';
import { WriteDifferences } from '../verification/write-differences.ts';
import { AdminController } from './admin-controller.ts';
import { ScheduledVerification } from './scheduled-verification.ts';
import { VerificationController } from './verification-controller.ts';
import type { SharedWriting } from './read-models-feature.ts';

/** The API keys of this process: the access of a valid key. */
type KnownKeys = Readonly<{ accessOf: (key: string) => Access | undefined }>;

export type AdministrationPorts = Readonly<{
  journal: Journal;
  catalog: Catalog;
  vectors: VectorIndex;
  lexical: LexicalIndex;
  keys: ScopeKeys;
  blobs: BlobStore;
  readModels: ReadModelRunner;
  /** A rebuild gives way to them. */
  views: Readers;
  /** The digest functions of the two indexes. */
  digests: Digests;
  /** Number of calls to an embedding model since the process started. */
  embeddingCalls: () => number;
  sharedIndexes?: SharedWriting;
  /** Opens a second, empty set of read models. */
  alongside: () => Promise<SetAlongside>;
  apiKeys: KnownKeys;
  onFault: OnFault;
  system: System;
  /** Without `verification`, none are scheduled. `purgeMs`: maximum time that deleted titles are kept. */
  settings: Readonly<{ verification?: VerificationSettings; purgeMs?: number }>;
  /** Set where keys are in files. */
  checkKeyFiles?: (apiKeys: KnownKeys) => ReturnType<CheckKeyFiles>;
}>;

/** Verifies and rebuilds the read models of a process that answers searches. */
export const administration = feature('administration', (ports: AdministrationPorts) => {
  const {
    journal,
    catalog,
    vectors,
    lexical,
    keys,
    blobs,
    readModels,
    views,
    digests,
    embeddingCalls,
    sharedIndexes,
    alongside,
    apiKeys,
    checkKeyFiles,
    onFault,
    system,
    settings: { verification = UNSCHEDULED, purgeMs },
  } = ports;
  const stores = {
    journal,
    catalog,
    vectors,
    lexical,
    keys,
    blobs,
    ...(sharedIndexes ? { shared: sharedIndexes.writer } : {}),
  };
  const rebuild = new RebuildReadModels({ journal, catalog, alongside }, readModels, embeddingCalls, views, system);
  const isRebuilding = (): boolean => ['running', 'paused'].includes(rebuild.status()?.state ?? '');
  const verify = new VerifyReadModels(stores, readModels, digests, {
    system,
    ...(purgeMs === undefined ? {} : { freshMs: purgeMs }),
    ...(checkKeyFiles && { checkKeyFiles: () => checkKeyFiles(apiKeys) }),
  });
  const verifications = new Verifications(verify, system);
  const writes = new WriteDifferences(stores, system.scheduler);
  const repair = new RepairReadModels({ journal, verify, verifications, writes, isRebuilding, system });
  const isReady = (): boolean => readModels.serving() && !isRebuilding();
  return {
    offers: {
      rebuild: { status: () => rebuild.status() },
      verifications: {
        figures: () => ({ ...verification, running: verifications.isRunning, past: verifications.past().map(recordView) }),
      },
    },
    useCases: [administerReadModels(rebuild), administerVerification(verifications, repair, verification)],
    consumers: [
      new ScheduledVerification({ settings: verification, verify, verifications, repair, isReady, readers: views, onFault, system }),
    ],
    routes: [AdminController, VerificationController],
  };
});

const UNSCHEDULED: VerificationSettings = { everyHours: 0, repair: 'manual' };
