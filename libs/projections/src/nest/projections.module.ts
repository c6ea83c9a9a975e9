import { Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import type { Catalog, Checkpoints, LexicalIndex, MessageBus, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import { PORT, type OnFault } from '@palimpsest/runtime';
import type { Digests } from '../expected-read-models.ts';
import { ReadModelRunner } from '../read-model-runner.ts';
import { RebuildReadModels } from '../rebuild-read-models.ts';
import { Relay } from '../relay.ts';
import { VerifyReadModels } from '../verify-read-models.ts';
import { AdminController } from './admin-controller.ts';

/** Bound by the app: how its two indexes digest what they are given. */
export const DIGESTS = Symbol('Digests');
const STORES = Symbol('ReadModelStores');
const RESTART_MS = 1_000;

type Stores = Readonly<{ journal: Journal; catalog: Catalog; vectors: VectorIndex; lexical: LexicalIndex; keys: ScopeKeys }>;

/** Follows the log for as long as the application lives; the relay stops last of all, after the read models. */
class Followers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #runner: ReadModelRunner;
  readonly #relay: Relay;
  readonly #onFault: OnFault;
  readonly #stop = new AbortController();
  #relaying: Promise<void> = Promise.resolve();

  constructor(runner: ReadModelRunner, relay: Relay, onFault: OnFault) {
    this.#runner = runner;
    this.#relay = relay;
    this.#onFault = onFault;
  }

  onApplicationBootstrap(): void {
    this.#runner.start();
    this.#relaying = this.#keepRelaying();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#runner.stop(), this.#relaying]);
  }

  async #keepRelaying(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#relay.run(this.#stop.signal);
      } catch (error) {
        this.#onFault(error, 'relaying events to the bus');
        await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
      }
    }
  }
}

@Module({
  controllers: [AdminController],
  providers: [
    {
      provide: STORES,
      inject: [PORT.Journal, PORT.Catalog, PORT.VectorIndex, PORT.LexicalIndex, PORT.ScopeKeys],
      useFactory: (journal: Journal, catalog: Catalog, vectors: VectorIndex, lexical: LexicalIndex, keys: ScopeKeys): Stores => ({ journal, catalog, vectors, lexical, keys }),
    },
    {
      provide: Relay,
      inject: [PORT.Journal, PORT.MessageBus, PORT.Checkpoints],
      useFactory: (journal: Journal, bus: MessageBus, checkpoints: Checkpoints) => new Relay(journal, bus, checkpoints),
    },
    {
      provide: VerifyReadModels,
      inject: [STORES, PORT.ReadModels, DIGESTS],
      useFactory: (stores: Stores, runner: ReadModelRunner, digests: Digests) => new VerifyReadModels(stores, runner, digests),
    },
    { provide: RebuildReadModels, inject: [STORES, PORT.ReadModels], useFactory: (stores: Stores, runner: ReadModelRunner) => new RebuildReadModels(stores, runner) },
    {
      provide: Followers,
      inject: [PORT.ReadModels, Relay, PORT.OnFault],
      useFactory: (runner: ReadModelRunner, relay: Relay, onFault: OnFault) => new Followers(runner, relay, onFault),
    },
  ],
  exports: [VerifyReadModels, RebuildReadModels],
})
export class ProjectionsModule {}
