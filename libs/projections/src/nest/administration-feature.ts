import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import type { BlobStore, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';
import { feature } from '@palimpsest/runtime';
import { administerReadModels } from '../administer-read-models.ts';
import type { SetAlongside } from '../views/set-alongside.ts';
import type { Digests } from '../views/log-view.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import type { Readers } from '../rebuilds/rebuild-pace.ts';
import { RebuildReadModels } from '../rebuilds/rebuild-read-models.ts';
import { VerifyReadModels, type CheckKeyFiles } from '../verification/verify-read-models.ts';
import { AdminController } from './admin-controller.ts';
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
  system: System;
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
    system,
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
  return {
    offers: { rebuild: { status: () => rebuild.status() } },
    useCases: [
      administerReadModels(
        rebuild,
        new VerifyReadModels(stores, readModels, digests, {
          system,
          ...(checkKeyFiles && { checkKeyFiles: () => checkKeyFiles(apiKeys) }),
        }),
      ),
    ],
    routes: [AdminController],
  };
});
