import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { ReadablePartition } from '@palimpsest/knowledge/read-models';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import type { Synonyms } from '@palimpsest/knowledge/texts';
import type { EmbeddingVersion, Recipe, VectorScope } from '@palimpsest/knowledge/values';

/** A scope that this search may read and that has an active generation; one model made all vectors of the generation. */
export type SearchTarget = Readonly<{
  scope: PermittedScope;
  partition: ReadablePartition;
  embeddingVersion: EmbeddingVersion;
  recipe: Recipe;
  /** The generation is not active yet: it serves a share of the callers, to which this one belongs. */
  canary?: true;
  /** Of its searched knowledge bases, if they have any. */
  synonyms?: Synonyms;
  /** Another complete generation of the scope with the same chunks, whose model reranks. */
  companion?: Readonly<{ partition: ReadablePartition; embeddingVersion: EmbeddingVersion }>;
  /** Only these chunks are searched. Default: all. */
  chunks?: ChunkSelection;
}>;

/** The requested scopes, the permitted ones among them, and those with data. */
export type SearchTargets = Readonly<{
  requested: readonly VectorScope[];
  permitted: readonly PermittedScope[];
  searchable: readonly SearchTarget[];
}>;
