import { cachedEmbeddings, type CacheStats } from '@palimpsest/adapters-embedding-cache';
import { embeddingVersion } from '@palimpsest/knowledge';
import type { EmbeddingProvider, EmbeddingProviders, EmbeddingVersion, TenantEmbeddings, TextWindow } from '@palimpsest/knowledge';
import type { EmbeddingSettings } from './settings.ts';

/** What the model in the repository makes. */
const BUILT_IN = embeddingVersion('onnx:all-minilm-l6-v2-int8/384');
const BUILT_IN_LANGUAGES = ['en'];

type OnnxOptions = Parameters<typeof import('@palimpsest/adapters-onnx').openOnnxEmbeddings>[0];

/** What talks to models is read when it is needed: the client of OpenAI alone is some 240 files. */
const onnxModel = async (options: OnnxOptions): Promise<EmbeddingProvider> => (await import('@palimpsest/adapters-onnx')).openOnnxEmbeddings(options);

/** Opened when it is first needed: a model of earlier days costs nothing until a scope asks for it. */
const lazily = (version: EmbeddingVersion, languages: readonly string[], open: () => Promise<EmbeddingProvider>, window: () => Promise<TextWindow>): EmbeddingProvider => {
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

/** A model that remembers nothing is the same for every tenant. */
export const withoutMemory = (provider: EmbeddingProvider): TenantEmbeddings => ({
  version: provider.version,
  forTenant: () => provider,
  close: () => provider.close(),
});

export type OpenModels = EmbeddingProviders &
  Readonly<{
    /** Texts found in the cache and texts that a model was asked for, since the start, over all models. */
    cacheStats: () => CacheStats;
    /** The same, of each model by itself. */
    cacheStatsByVersion: () => ReadonlyMap<EmbeddingVersion, CacheStats>;
    close: () => Promise<void>;
  }>;

/**
 * The configured model for everything new, and the built-in one beside it, for scopes that still have its vectors.
 * `behind` stands between the cache of this process and a model: a cache that processes share, say. `queryThread`: this process
 * embeds passages and queries, and has a thread of the model for queries from the start on.
 */
export const openEmbeddingModels = async (
  { threads, folder, cache, openai }: EmbeddingSettings,
  behind: (provider: EmbeddingProvider) => TenantEmbeddings = withoutMemory,
  { queryThread = false }: Readonly<{ queryThread?: boolean }> = {},
): Promise<OpenModels> => {
  const stats = new Map<EmbeddingVersion, () => CacheStats>();
  const cached = (provider: EmbeddingProvider): TenantEmbeddings => {
    const caching = cachedEmbeddings(behind(provider), { maxEntries: cache });
    stats.set(caching.version, () => caching.stats());
    return caching;
  };
  const current = openai
    ? (await import('@palimpsest/adapters-openai')).openOpenAiEmbeddings({ apiKey: openai.apiKey, model: openai.model, dimensions: openai.dimensions, ...(openai.maxTokens === undefined ? {} : { maxTokens: openai.maxTokens }), ...(openai.baseUrl === undefined ? {} : { baseUrl: openai.baseUrl }) })
    : await onnxModel({ threads, queryThread, ...(folder === undefined ? {} : { folder }) });
  const providers = [cached(current)];
  if (current.version !== BUILT_IN) providers.push(cached(lazily(BUILT_IN, BUILT_IN_LANGUAGES, () => onnxModel({ threads }), async () => (await import('@palimpsest/adapters-onnx')).onnxTextWindow())));
  return {
    current: { version: current.version },
    of: (version, tenant) => providers.find((provider) => provider.version === version)?.forTenant(tenant),
    versions: () => providers.map(({ version }) => version),
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
