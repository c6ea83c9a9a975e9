import type { TenantId } from '../values/tenant.ts';
import type { EmbeddingVersion } from '../values/versions.ts';

/** Models may treat the two differently (a query prefix, say). */
export type EmbeddingKind = 'query' | 'passage';

/** `vector`: unit length, `Float32Array` of the version's dimensions. `truncated`: the text was longer than the model reads. */
export type Embedding = Readonly<{ vector: Float32Array; tokens: number; truncated: boolean }>;

/**
 * How much of a passage the model reads at once. `count` takes time linear in the text and is cheap next to an embedding; a text
 * counts as the sum of its words (runs without blanks), so that a long text can be counted once, word by word.
 */
export type TextWindow = Readonly<{
  /** Names the tokenizer; part of the ChunkingVersion, since another one cuts elsewhere. */
  tokenizer: string;
  /** Tokens of a passage that the model reads; its special tokens and the prefix that it puts before a passage are already taken off. */
  tokens: number;
  count: (text: string) => number;
}>;

/**
 * Texts into vectors of exactly one `EmbeddingVersion`. Promises, all checked by `describeEmbeddingProvider`:
 * - one embedding per text, in order; unit length (±1e-5); the same text gives the same bits, alone or among others;
 * - a text longer than the model reads is cut, and the answer says so (`truncated`); an empty or blank text is refused with InvalidValue;
 * - a passage whose `count` is at most the `tokens` of `window()` is read to its end;
 * - an answer of the wrong width is an error, never stored;
 * - an aborted signal ends the call with the signal's reason.
 */
export interface EmbeddingProvider {
  readonly version: EmbeddingVersion;
  /** Languages (ISO 639-1) that the model was made for; left out where it does not say: then none is treated as foreign to it. */
  readonly languages?: readonly string[];
  /** Known without loading the model. */
  window(): Promise<TextWindow>;
  embed(texts: readonly string[], kind: EmbeddingKind, signal?: AbortSignal): Promise<readonly Embedding[]>;
  close(): Promise<void>;
}

/** What computes texts, without the right to close it. */
export type Embedder = Pick<EmbeddingProvider, 'version' | 'languages' | 'window' | 'embed'>;

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
