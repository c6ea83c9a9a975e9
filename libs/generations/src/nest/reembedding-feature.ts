import type { Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import type { EmbeddingProviders, MessageBus, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import { feature, type Now, type OnFault } from '@palimpsest/runtime';
import { ReembedDocument } from '../reembed-document.ts';
import { ReembedScope } from '../reembed-scope.ts';
import { ReembeddingWorker } from '../reembedding-worker.ts';
import { ReembeddingController } from './reembedding-controller.ts';

export type ReembeddingFeaturePorts = Readonly<{
  journal: Journal;
  bus: MessageBus;
  keys: ScopeKeys;
  catalog: Catalog;
  vectors: VectorIndex;
  readModels: ReadModels;
  providers: EmbeddingProviders;
  now: Now;
  onFault: OnFault;
  system: System;
}>;

/** Re-embeds scopes with another model. */
export const reembedding = feature(
  'reembedding',
  ({ journal, bus, keys, catalog, vectors, readModels, providers, now, onFault, system }: ReembeddingFeaturePorts) => {
    const documents = new ReembedDocument({ journal, keys, providers });
    const reembedScope = new ReembedScope({ journal, catalog, vectors, readModels, providers, documents, now });
    return {
      useCases: [reembedScope],
      consumers: [new ReembeddingWorker(bus, reembedScope, onFault, system)],
      routes: [ReembeddingController],
    };
  },
);
