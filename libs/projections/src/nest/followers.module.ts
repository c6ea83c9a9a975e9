import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { pause, type Journal } from '@palimpsest/contracts';
import type { Admission, Catalog, Checkpoints, MessageBus, Participation, ReadModels, Shares } from '@palimpsest/knowledge';
import { PORT, type OnFault } from '@palimpsest/runtime';
import { CatalogHeldDocuments } from '../held-documents.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import { Relay } from '../relay.ts';
import type { RelayOptions } from '../relay-run.ts';
import type { SharedIndexWriter } from '../shared-index-writer.ts';

/** Bound by an app whose indexes are shared with other processes. */
export const SHARED_WRITER = Symbol('SharedIndexWriter');
export type SharedWriting = Readonly<{ writer: SharedIndexWriter; shares: number }>;

/** Bound (to `RelayOptions`) by an app whose workers handle more than 8 documents at once, all processes together. */
export const RELAY_OPTIONS = Symbol('RelayOptions');

const LOOK_EVERY_MS = 2_000;

/** Keeps the read models following the log until the last request is answered, which may wait for them, and holds its shares of the common indexes. */
class Following implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #runner: ReadModelRunner;
  readonly #shares: Shares;
  readonly #shared: SharedWriting | undefined;
  readonly #onFault: OnFault;
  #participation: Participation | undefined;

  constructor(runner: ReadModelRunner, shares: Shares, shared: SharedWriting | undefined, onFault: OnFault) {
    this.#runner = runner;
    this.#shares = shares;
    this.#shared = shared;
    this.#onFault = onFault;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#runner.start();
    if (this.#shared) this.#participation = await this.#shares.takePart('shared-indexes', this.#shared.shares, (share, signal) => this.#hold(share, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#participation?.leave();
    await this.#runner.stop();
  }

  async #hold(share: number, signal: AbortSignal): Promise<void> {
    const { writer } = this.#shared ?? {};
    writer?.hold(share);
    try {
      while (!signal.aborted) {
        await pause(LOOK_EVERY_MS, signal);
        if (!signal.aborted) await this.#runner.checkShared();
      }
    } catch (error) {
      this.#onFault(error, 'looking after the shared indexes');
    } finally {
      writer?.letGo(share);
    }
  }
}

@Module({
  providers: [
    {
      provide: Following,
      inject: [PORT.ReadModels, PORT.Shares, { token: SHARED_WRITER, optional: true }, PORT.OnFault],
      useFactory: (runner: ReadModelRunner, shares: Shares, shared: SharedWriting | undefined, onFault: OnFault) => new Following(runner, shares, shared, onFault),
    },
  ],
})
export class FollowersModule {}

/** Of all processes that could, one relays. */
class Relaying implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #relay: Relay;
  readonly #shares: Shares;
  #participation: Participation | undefined;

  constructor(relay: Relay, shares: Shares) {
    this.#relay = relay;
    this.#shares = shares;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#participation = await this.#shares.takePart('relay', 1, (_, signal) => this.#relay.run(signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#participation?.leave();
  }
}

@Module({
  providers: [
    {
      provide: Relay,
      inject: [PORT.Journal, PORT.MessageBus, PORT.Checkpoints, PORT.Catalog, PORT.ReadModels, PORT.Admission, { token: RELAY_OPTIONS, optional: true }],
      useFactory: (journal: Journal, bus: MessageBus, checkpoints: Checkpoints, catalog: Catalog, readModels: ReadModels, admission: Admission, options?: RelayOptions) =>
        new Relay(journal, bus, checkpoints, new CatalogHeldDocuments(catalog, readModels), { ...options, weightOf: (tenant) => admission.of(tenant).limits.weight ?? 1 }),
    },
    { provide: Relaying, inject: [Relay, PORT.Shares], useFactory: (relay: Relay, shares: Shares) => new Relaying(relay, shares) },
  ],
})
export class RelayModule {}
