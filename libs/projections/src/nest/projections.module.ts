import { Module } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { Catalog, LexicalIndex, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import { PORT } from '@palimpsest/runtime';
import type { Digests } from '../expected-indexes.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import { RebuildReadModels } from '../rebuild-read-models.ts';
import { VerifyReadModels } from '../verify-read-models.ts';
import { AdminController } from './admin-controller.ts';
import { SHARED_WRITER, type SharedWriting } from './followers.module.ts';

/** Bound by the app: how its two indexes digest what they are given. */
export const DIGESTS = Symbol('Digests');
const STORES = Symbol('ReadModelStores');

const storesOf = (journal: Journal, catalog: Catalog, vectors: VectorIndex, lexical: LexicalIndex, keys: ScopeKeys, shared: SharedWriting | undefined) => ({
  journal, catalog, vectors, lexical, keys, ...(shared ? { shared: shared.writer } : {}),
});
type Stores = ReturnType<typeof storesOf>;

/** Proving and rebuilding the read models of a process that answers queries. */
@Module({
  controllers: [AdminController],
  providers: [
    {
      provide: STORES,
      inject: [PORT.Journal, PORT.Catalog, PORT.VectorIndex, PORT.LexicalIndex, PORT.ScopeKeys, { token: SHARED_WRITER, optional: true }],
      useFactory: storesOf,
    },
    {
      provide: VerifyReadModels,
      inject: [STORES, PORT.ReadModels, DIGESTS],
      useFactory: (stores: Stores, runner: ReadModelRunner, digests: Digests) => new VerifyReadModels(stores, runner, digests),
    },
    { provide: RebuildReadModels, inject: [STORES, PORT.ReadModels], useFactory: (stores: Stores, runner: ReadModelRunner) => new RebuildReadModels(stores, runner) },
  ],
  exports: [VerifyReadModels, RebuildReadModels],
})
export class ProjectionsModule {}
