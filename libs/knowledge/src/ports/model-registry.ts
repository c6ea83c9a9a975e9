import type { ModelDefinition } from '../values/model.ts';
import type { EmbeddingVersion } from '../values/versions.ts';
import type { Embedder, EmbeddingProviders, RegisteredModel } from './embedding-provider.ts';

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
}
