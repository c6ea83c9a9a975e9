import { cachedEmbeddings, type CacheStats } from '@palimpsest/adapters-embedding-cache';
import { embeddingVersion, recipeWith } from '@palimpsest/knowledge/values';
import type { EmbeddingProvider, EmbeddingProviders, TenantEmbeddings, TextWindow } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { EmbeddingSettings } from '../settings/process-settings.ts';

/** Embedding version of the model in the repository. */
const BUILT_IN = embeddingVersion('onnx:all-minilm-l6-v2-int8/384');
const BUILT_IN_LANGUAGES = ['en'];

type OnnxOptions = Parameters<typeof import('@palimpsest/adapters-onnx').openOnnxEmbeddings>[0];

/** Imported on first use: another source may have been selected. */
const onnxModel = async (options: OnnxOptions): Promise<EmbeddingProvider> =>
  (await import('@palimpsest/adapters-onnx')).openOnnxEmbeddings(options);

/** Opens the model on first use: a model that is no longer current costs nothing until a scope needs it. */
const lazyProvider = (
  version: EmbeddingVersion,
  languages: readonly string[],
  open: () => Promise<EmbeddingProvider>,
  window: () => Promise<TextWindow>,
): EmbeddingProvider => {
  let opened: Promise<EmbeddingProvider> | undefined;
  let read: Promise<TextWindow> | undefined;
  return {
    version,
    languages,
    window: () => (read ??= window()),
    embed: async (texts, kind, signal) => (await (opened ??= open())).embed(texts, kind, signal),
    close: async () => (await opened)?.close(),
  };
};

/** A model without a cache is the same for every tenant. */
export const withoutMemory = (provider: EmbeddingProvider): TenantEmbeddings => ({
  version: provider.version,
  forTenant: () => provider,
  close: () => provider.close(),
});

export type OpenModels = EmbeddingProviders &
  Readonly<{
    /** Cache hits and misses since the start, over all models. */
    cacheStats: () => CacheStats;
    /** Cache hits and misses of each model. */
    cacheStatsByVersion: () => ReadonlyMap<EmbeddingVersion, CacheStats>;
    close: () => Promise<void>;
  }>;

/**
 * Opens the configured model for everything new, and the built-in model for scopes that still have its vectors.
 * `wrapModel` wraps each model behind the cache of this process, for example with a cache that processes share. `queryThread`: this
 * process embeds passages and queries, and reserves a thread of the model for queries from the start. `analyser`: version of the word
 * analysis of this installation, for the recipes of new generations.
 */
export const openEmbeddingModels = async (
  { threads, folder, cache, source }: EmbeddingSettings,
  wrapModel: (provider: EmbeddingProvider) => TenantEmbeddings = withoutMemory,
  { queryThread = false, analyser }: Readonly<{ queryThread?: boolean; analyser?: string }> = {},
): Promise<OpenModels> => {
  const stats = new Map<EmbeddingVersion, () => CacheStats>();
  const cached = (provider: EmbeddingProvider): TenantEmbeddings => {
    const caching = cachedEmbeddings(wrapModel(provider), { maxEntries: cache });
    stats.set(caching.version, () => caching.stats());
    return caching;
  };
  const current = await (source?.() ?? onnxModel({ threads, queryThread, ...(folder === undefined ? {} : { folder }) }));
  const providers = [cached(current)];
  if (current.version !== BUILT_IN)
    providers.push(
      cached(
        lazyProvider(
          BUILT_IN,
          BUILT_IN_LANGUAGES,
          () => onnxModel({ threads }),
          async () => (await import('@palimpsest/adapters-onnx')).onnxTextWindow(),
        ),
      ),
    );
  return {
    current: { version: current.version },
    of: (version, tenant) => providers.find((provider) => provider.version === version)?.forTenant(tenant),
    versions: () => providers.map(({ version }) => version),
    recipeOf: (version) => recipeWith({ version, ...(version === current.version ? current.traits : undefined) }, analyser),
    cacheStats: () => {
      const all = [...stats.values()].map((one) => one());
      const sum = (of: keyof CacheStats) => all.reduce((total, one) => total + one[of], 0);
      return { hits: sum('hits'), misses: sum('misses'), entries: sum('entries') };
    },
    cacheStatsByVersion: () => new Map([...stats].map(([version, one]) => [version, one()])),
    close: async () => {
      for (const provider of providers) await provider.close();
    },
  };
};
