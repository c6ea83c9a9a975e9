import type { TenantId } from '../values/tenant.ts';
import type { EmbeddingRecipe, Recipe } from '../values/recipe.ts';
import type { ModelId, ModelLimits, ModelOrigin } from '../values/model.ts';
import type { EmbeddingVersion } from '../values/versions.ts';

/**
 * Models can treat a query and a passage differently (for example with a prefix). `background`: a passage that no one waits for. It gets
 * the vector of a passage, but after the queries and passages that wait.
 */
export type EmbeddingKind = 'query' | 'passage' | 'background';

/** `vector`: unit length, `Float32Array` of the version's dimensions. `truncated`: the text exceeded the model's window. */
export type Embedding = Readonly<{ vector: Float32Array; tokens: number; truncated: boolean }>;

/**
 * How much text the model reads in one call. `count` takes linear time and is cheap compared to an embedding. The count of a text is
 * the sum of the counts of its words (runs without blanks), so that a long text can be counted once, word by word.
 */
export type TextWindow = Readonly<{
  /** Name of the tokenizer. Part of the ChunkingVersion, since another tokenizer gives other chunks. */
  tokenizer: string;
  /** Maximum tokens of a passage, without the special tokens and the passage prefix of the model. */
  tokens: number;
  count: (text: string) => number;
}>;

/**
 * Computes vectors of exactly one `EmbeddingVersion`. Promises, all checked by `describeEmbeddingProvider`:
 * - one embedding per text, in order; unit length (±1e-5); the same text gives the same bits, alone or in a batch;
 * - a text longer than the window is truncated and marked `truncated`; an empty or blank text throws InvalidValue;
 * - a passage whose `count` is at most the `tokens` of `window()` is not truncated;
 * - a vector of the wrong width is an error and is never stored;
 * - an aborted signal ends the call with the reason of the signal.
 */
export interface EmbeddingProvider {
  readonly version: EmbeddingVersion;
  /** Languages (ISO 639-1) that the model supports. If missing, all languages are treated as supported. */
  readonly languages?: readonly string[];
  /** What is known of the model besides its version. */
  readonly traits?: ModelTraits;
  /** Does not load the model. */
  window(): Promise<TextWindow>;
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]>;
  close(): Promise<void>;
}

export type ModelTraits = Omit<EmbeddingRecipe, 'version'>;

/** A provider that the holder cannot close. */
export type Embedder = Pick<EmbeddingProvider, 'version' | 'languages' | 'window' | 'embed'>;

/**
 * A model with its cache. Each tenant sees only its own cache entries, so that neither response times nor counters reveal texts of
 * other tenants.
 */
export interface TenantEmbeddings {
  readonly version: EmbeddingVersion;
  forTenant(tenant: TenantId): Embedder;
  /** Removes what is cached of a tenant: after an erasure. Missing without a cache. @throws Unavailable if that is not certain */
  forget?(tenant: TenantId): Promise<void>;
  close(): Promise<void>;
}

/** What is known of a model without loading it. */
export type RegisteredModel = Readonly<{
  id: ModelId;
  version: EmbeddingVersion;
  origin: ModelOrigin;
  limits: ModelLimits;
  /** US dollars for one million tokens; missing if unknown. */
  pricePerMillionTokens?: number;
  /** Folder of the model or address of the endpoint: for operators only. */
  location?: string;
  /** Whether the model is in memory, or connected, at the moment. */
  loaded: boolean;
  /** Why this process does not use the model: it is another one than before under the same name. */
  changed?: string;
}>;

/**
 * The models that are available, any number at the same time. New scopes use `current`. Promises, all checked by `describeEmbeddingProviders`:
 * - `versions` lists each version once, among them the current one;
 * - `of` returns an embedder of exactly this version for each of these and for every tenant, and undefined for any other version;
 * - `recipeOf` names the version, and is the same each time;
 * - `models` describes each of `versions` once, in the same order, and those that changed under their name; it loads none of them.
 *
 * Models can be added and removed while the process runs, so callers ask again for each piece of work.
 */
export interface EmbeddingProviders {
  readonly current: Pick<EmbeddingProvider, 'version'>;
  /** The embedder of exactly this version for this tenant, or undefined. */
  of(version: EmbeddingVersion, tenant: TenantId): Embedder | undefined;
  versions(): readonly EmbeddingVersion[];
  /** The recipe of a generation that this installation starts with this model. */
  recipeOf(version: EmbeddingVersion): Recipe;
  models(): readonly RegisteredModel[];
}
