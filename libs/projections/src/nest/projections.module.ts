import { Module } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { BlobStore, Catalog, LexicalIndex, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import { PORT } from '@palimpsest/runtime';
import type { Digests } from '../views/view-at.ts';
import type { ReadModelStores } from '../read-model-stores.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import { RebuildReadModels } from '../rebuild-read-models.ts';
import { VerifyReadModels, type CheckKeyFiles } from '../verify-read-models.ts';
import { AdminController } from './admin-controller.ts';
import { SHARED_WRITER, type SharedWriting } from './followers.module.ts';

/** Bound by the app: the digest functions of its two indexes. */
export const DIGESTS = Symbol('Digests');
/** Bound by an app that keeps keys in files; see `CheckKeyFiles`. */
export const CHECK_KEY_FILES = Symbol('CheckKeyFiles');
/** Bound by the app: number of calls to an embedding model since the process started. */
export const EMBEDDING_CALLS = Symbol('EmbeddingCalls');
/** Bound by an app that can open a second set of read models; see `ReadModelStores.alongside`. */
export const ALONGSIDE = Symbol('Alongside');
const STORES = Symbol('ReadModelStores');

const storesOf = (journal: Journal, catalog: Catalog, vectors: VectorIndex, lexical: LexicalIndex, keys: ScopeKeys, blobs: BlobStore, shared: SharedWriting | undefined, alongside: ReadModelStores['alongside']) => ({
  journal, catalog, vectors, lexical, keys, blobs, ...(shared ? { shared: shared.writer } : {}), ...(alongside ? { alongside } : {}),
});
type Stores = ReturnType<typeof storesOf>;

/** Verifies and rebuilds the read models of a process that answers queries. */
@Module({
  controllers: [AdminController],
  providers: [
    {
      provide: STORES,
      inject: [PORT.Journal, PORT.Catalog, PORT.VectorIndex, PORT.LexicalIndex, PORT.ScopeKeys, PORT.BlobStore, { token: SHARED_WRITER, optional: true }, { token: ALONGSIDE, optional: true }],
      useFactory: storesOf,
    },
    {
      provide: VerifyReadModels,
      inject: [STORES, PORT.ReadModels, DIGESTS, { token: CHECK_KEY_FILES, optional: true }],
      useFactory: (stores: Stores, runner: ReadModelRunner, digests: Digests, checkKeyFiles: CheckKeyFiles | undefined) => new VerifyReadModels(stores, runner, digests, checkKeyFiles),
    },
    {
      provide: RebuildReadModels,
      inject: [STORES, PORT.ReadModels, EMBEDDING_CALLS],
      useFactory: (stores: Stores, runner: ReadModelRunner, embeddingCalls: () => number) => new RebuildReadModels(stores, runner, embeddingCalls),
    },
  ],
  exports: [VerifyReadModels, RebuildReadModels],
})
export class ProjectionsModule {}
