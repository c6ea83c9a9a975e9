import type { TenantId } from '../values/tenant.ts';
import type { EmbeddingVersion } from '../values/versions.ts';

/** Models may treat the two differently (a query prefix, say). */
export type EmbeddingKind = 'query' | 'passage';

/** `vector`: unit length, `Float32Array` of the version's dimensions. `truncated`: the text was longer than the model reads. */
export type Embedding = Readonly<{ vector: Float32Array; tokens: number; truncated: boolean }>;

/**
 * Texts into vectors of exactly one `EmbeddingVersion`. Promises, all checked by `describeEmbeddingProvider`:
 * - one embedding per text, in order; unit length (±1e-5); the same text gives the same bits, alone or among others;
 * - a text longer than the model reads is cut, and the answer says so; an empty or blank text is refused with InvalidValue;
 * - an answer of the wrong width is an error, never stored;
 * - an aborted signal ends the call with the signal's reason.
 */
export interface EmbeddingProvider {
  readonly version: EmbeddingVersion;
  /** Languages (ISO 639-1) that the model was made for; left out where it does not say: then none is treated as foreign to it. */
  readonly languages?: readonly string[];
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]>;
  close(): Promise<void>;
}

/** What computes texts, without the right to close it. */
export type Embedder = Pick<EmbeddingProvider, 'version' | 'languages' | 'embed'>;

/**
 * A model together with what it remembers. A tenant only ever finds what it asked for itself, so that neither the time nor any
 * counter tells it about the texts of others.
 */
export interface TenantEmbeddings {
  readonly version: EmbeddingVersion;
  forTenant(tenant: TenantId): Embedder;
  close(): Promise<void>;
}

/** The models that can be computed here. New scopes get `current`. */
export interface EmbeddingProviders {
  readonly current: Pick<EmbeddingProvider, 'version'>;
  /** The provider of exactly this version for the texts of this tenant, or undefined. */
  of(version: EmbeddingVersion, tenant: TenantId): Embedder | undefined;
  versions(): readonly EmbeddingVersion[];
}
