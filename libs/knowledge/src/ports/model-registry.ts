import type { CanaryCheck, ModelFingerprint } from '../values/canary-strings.ts';
import type { ModelDefinition } from '../values/model.ts';
import type { EmbeddingVersion } from '../values/versions.ts';
import type { Embedder, EmbeddingProviders, RegisteredModel } from './embedding-provider.ts';

/** Records what the first vectors of a version were like, unless it is known. Returns what holds. */
export type RecordFingerprint = (version: EmbeddingVersion, fingerprint: ModelFingerprint) => Promise<ModelFingerprint>;

/** The models of a process, to which operators add models while it runs. */
export interface ModelRegistry extends EmbeddingProviders {
  /** Checks what an operator describes, without loading the model or calling its endpoint. @throws InvalidValue naming the field */
  check(definition: ModelDefinition): Promise<EmbeddingVersion>;
  /** Makes the model available. @throws InvalidValue; Conflict if a model with the same version or id is available */
  add(definition: ModelDefinition): Promise<RegisteredModel>;
  /**
   * Makes a model unavailable at once. Calls that are running finish; resolves when they have, and the model is unloaded.
   * @throws NotFound; Conflict if no operator added it
   */
  remove(version: EmbeddingVersion): Promise<void>;
  /** The model within its limits, but without a cache: to measure it. */
  direct(version: EmbeddingVersion): Embedder | undefined;
  /**
   * Compares the model with its fingerprint, which is recorded now if there is none. Undefined for a model that cannot change under its name,
   * since its files have a digest, and for a version that is not configured.
   * @throws ModelChanged; errors of the model
   */
  verify(version: EmbeddingVersion, signal?: AbortSignal): Promise<CanaryCheck | undefined>;
  /** What the vectors of this version have to be like, as far as this process knows. */
  fingerprint(version: EmbeddingVersion): ModelFingerprint | undefined;
  /** This version has this fingerprint. */
  fingerprinted(version: EmbeddingVersion, fingerprint: ModelFingerprint): void;
  /** Calls this when a model without a fingerprint is used. Without it, fingerprints are known to this process only. */
  recordFingerprints(record: RecordFingerprint): void;
}
