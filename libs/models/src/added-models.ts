import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { projection, type Fact } from '@palimpsest/knowledge/events';
import type { ModelAdded, ModelId, ModelRemoved } from '@palimpsest/knowledge/models';
import type { ModelRegistry } from '@palimpsest/knowledge/ports';
import { recordFingerprint } from './record-fingerprint.ts';
import { START, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';

/** `problem`: why the model is not available in this process. */
export type AddedModel = Readonly<{ id: ModelId; version: EmbeddingVersion; problem?: string }>;

type Parts = Readonly<{
  journal: Journal;
  providers: Pick<ModelRegistry, 'add' | 'remove' | 'fingerprinted' | 'recordFingerprints'>;
  system: Pick<System, 'clock' | 'scheduler'>;
  onFault: (error: unknown, about: string) => void;
}>;

/**
 * In-memory projection of the models that operators added, and of the fingerprints of all models: every process follows the log and makes them available. A model that cannot be
 * made available here, for example because its folder is on another machine, is reported and does not keep the process from starting.
 */
export class AddedModels {
  readonly #parts: Parts;
  readonly #projection: InMemoryProjection;
  readonly #models = new Map<ModelId, AddedModel>();
  /** Changes in the order of the log: each may read files. */
  #changes: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('models', {
        ModelAdded: (fact) => this.#inOrder(() => this.#add(fact)),
        ModelRemoved: (fact) => this.#inOrder(() => this.#remove(fact)),
        ModelFingerprinted: ({ event: { data } }) => parts.providers.fingerprinted(data.version, data.fingerprint),
      }),
      parts.system.scheduler,
    );
  }

  /** Makes all models of the log available, then follows it. @throws read errors, for example of a damaged log */
  async start(): Promise<void> {
    this.#parts.providers.recordFingerprints(recordFingerprint(this.#parts));
    await this.#projection.start(START, (error) => this.#parts.onFault(error, 'following the models of the installation'));
    await this.#changes;
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  /** Resolves when everything up to `position` holds in this process. */
  async reached(position: Position): Promise<void> {
    await this.#projection.reached(position);
    await this.#changes;
  }

  list(): readonly AddedModel[] {
    return [...this.#models.values()];
  }

  #inOrder(change: () => Promise<void>): void {
    this.#changes = this.#changes.then(change);
  }

  async #add({ event: { data } }: Fact<ModelAdded>): Promise<void> {
    const { model: id, version, definition } = data;
    try {
      const added = await this.#parts.providers.add(definition);
      // The folder of this machine may hold another model than the one that was added.
      if (added.version !== version) {
        await this.#parts.providers.remove(added.version);
        throw new Error(`the definition describes ${added.version} in this process`);
      }
      this.#models.set(id, { id, version });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#models.set(id, { id, version, problem: reason });
      this.#parts.onFault(error, `making the model ${version} available`);
    }
  }

  /** Does not wait for running calls of the model: a later change must not wait for them. */
  async #remove({ event: { data } }: Fact<ModelRemoved>): Promise<void> {
    const removed = this.#models.get(data.model);
    this.#models.delete(data.model);
    if (removed === undefined || removed.problem !== undefined) return;
    this.#parts.providers
      .remove(removed.version)
      .catch((error: unknown) => this.#parts.onFault(error, `unloading the model ${removed.version}`));
  }
}
