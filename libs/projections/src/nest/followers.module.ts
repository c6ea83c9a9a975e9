import { Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Journal } from '@palimpsest/contracts';
import { pause } from '@palimpsest/foundation';
import type { QuotaPolicy, Catalog, Checkpoints, MessageBus, LeaseMembership, ReadModels, PartitionLeases } from '@palimpsest/knowledge';
import { PORT, type OnFault } from '@palimpsest/runtime';
import { CatalogHeldDocuments } from '../held-documents.ts';
import type { ReadModelRunner } from '../read-model-runner.ts';
import { Relay } from '../relay.ts';
import type { RelayOptions } from '../relay-run.ts';
import type { SharedIndexWriter } from '../shared-index-writer.ts';

/** Bound by an app whose indexes are shared with other processes. */
export const SHARED_WRITER = Symbol('SharedIndexWriter');
export type SharedWriting = Readonly<{ writer: SharedIndexWriter; shares: number }>;

/** Bound to `RelayOptions` by an app whose workers, over all processes, handle more than 8 documents concurrently. */
export const RELAY_OPTIONS = Symbol('RelayOptions');

const CHECK_EVERY_MS = 2_000;

/** Keeps the read models up to date until the last request is answered, which may wait for them, and holds leases on shared indexes. */
class Following implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #runner: ReadModelRunner;
  readonly #shares: PartitionLeases;
  readonly #shared: SharedWriting | undefined;
  readonly #onFault: OnFault;
  #membership: LeaseMembership | undefined;

  constructor(runner: ReadModelRunner, shares: PartitionLeases, shared: SharedWriting | undefined, onFault: OnFault) {
    this.#runner = runner;
    this.#shares = shares;
    this.#shared = shared;
    this.#onFault = onFault;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#runner.start();
    if (this.#shared) this.#membership = await this.#shares.join('shared-indexes', this.#shared.shares, (share, signal) => this.#hold(share, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#membership?.leave();
    await this.#runner.stop();
  }

  async #hold(share: number, signal: AbortSignal): Promise<void> {
    const { writer } = this.#shared ?? {};
    writer?.hold(share);
    try {
      while (!signal.aborted) {
        await pause(CHECK_EVERY_MS, signal);
        if (!signal.aborted) await this.#runner.checkShared();
      }
    } catch (error) {
      this.#onFault(error, 'maintaining the shared indexes');
    } finally {
      writer?.release(share);
    }
  }
}

@Module({
  providers: [
    {
      provide: Following,
      inject: [PORT.ReadModels, PORT.PartitionLeases, { token: SHARED_WRITER, optional: true }, PORT.OnFault],
      useFactory: (runner: ReadModelRunner, shares: PartitionLeases, shared: SharedWriting | undefined, onFault: OnFault) => new Following(runner, shares, shared, onFault),
    },
  ],
})
export class FollowersModule {}

/** Of all processes, one runs the relay. */
class Relaying implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #relay: Relay;
  readonly #shares: PartitionLeases;
  #membership: LeaseMembership | undefined;

  constructor(relay: Relay, shares: PartitionLeases) {
    this.#relay = relay;
    this.#shares = shares;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#membership = await this.#shares.join('relay', 1, (_, signal) => this.#relay.run(signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#membership?.leave();
  }
}

@Module({
  providers: [
    {
      provide: Relay,
      inject: [PORT.Journal, PORT.MessageBus, PORT.Checkpoints, PORT.Catalog, PORT.ReadModels, PORT.QuotaPolicy, { token: RELAY_OPTIONS, optional: true }],
      useFactory: (journal: Journal, bus: MessageBus, checkpoints: Checkpoints, catalog: Catalog, readModels: ReadModels, quotaPolicy: QuotaPolicy, options?: RelayOptions) =>
        new Relay(journal, bus, checkpoints, new CatalogHeldDocuments(catalog, readModels), { ...options, weightOf: (tenant) => quotaPolicy.of(tenant).limits.weight ?? 1 }),
    },
    { provide: Relaying, inject: [Relay, PORT.PartitionLeases], useFactory: (relay: Relay, shares: PartitionLeases) => new Relaying(relay, shares) },
  ],
})
export class RelayModule {}
