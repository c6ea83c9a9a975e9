import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import type { ChunkingSettings } from './chunking.ts';
import type { EmbeddingVersion } from './versions.ts';

/**
 * The model of a generation. What the version does not say is recorded so that a model that changes under the same name is noticed.
 * A field is missing if it is unknown: a remote provider does not report it, or an earlier version did not record it.
 */
export type EmbeddingRecipe = Readonly<{
  version: EmbeddingVersion;
  /** How token vectors become one vector. */
  pooling?: string;
  /** Whether the model's vectors are scaled to unit length. */
  normalised?: boolean;
  queryPrefix?: string;
  passagePrefix?: string;
  /** SHA-256 over the names and digests of the model's files, 64 hexadecimal digits. */
  digest?: string;
}>;

/** `settings`: those of each knowledge base, or the same for all of them. `contextual`: the variant of contextual descriptions. */
export type ChunkingRecipe = Readonly<{ settings: 'knowledge-base' | ChunkingSettings; contextual: string }>;

/** Everything that determines the read models of a generation. `analyser`: version of the word analysis; 'unknown' before version 0.2. */
export type Recipe = Readonly<{ embedding: EmbeddingRecipe; chunking: ChunkingRecipe; analyser: string }>;

/** What an installation records about the recipe of new generations, apart from the model. */
export const KNOWLEDGE_BASE_CHUNKING: ChunkingRecipe = { settings: 'knowledge-base', contextual: 'none' };
export const UNKNOWN_ANALYSER = 'unknown';

export const recipeWith = (embedding: EmbeddingRecipe, analyser = UNKNOWN_ANALYSER, chunking = KNOWLEDGE_BASE_CHUNKING): Recipe => ({
  embedding,
  chunking,
  analyser,
});

/**
 * Identifies the chunkings of documents: `default` where each knowledge base chooses its own settings, otherwise derived from the
 * settings. Generations whose recipes have the same chunking share the chunk lists of their documents; others have their own.
 */
export type ChunkListId = Branded<string, 'ChunkListId'>;

const CHUNK_LIST = /^[a-z0-9][a-z0-9.,:=+-]{0,199}$/;

/** @throws InvalidValue */
export const chunkListId = (raw: unknown, field = 'chunkList'): ChunkListId => {
  if (typeof raw !== 'string' || !CHUNK_LIST.test(raw))
    throw new InvalidValue(field, '1-200 characters of a-z, 0-9, ".", ",", ":", "=", "+", "-"', raw);
  return raw as ChunkListId;
};

export const DEFAULT_CHUNK_LIST = chunkListId('default');

/** Readable, so that no digest is needed: `markdown.maxchars=1500,tokens.maxtokens=200`. The order of the settings does not matter. */
export const chunkListOf = ({ settings, contextual }: ChunkingRecipe): ChunkListId => {
  const chosen = settings === 'knowledge-base' ? 'default' : `settings:${namesOf(settings)}`;
  return chunkListId(contextual === 'none' ? chosen : `${chosen}+${contextual}`);
};

const namesOf = (settings: ChunkingSettings): string =>
  Object.entries(settings)
    .flatMap(([kind, values]) =>
      Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${kind}.${name}=${value}`.toLowerCase()),
    )
    .sort()
    .join(',');
