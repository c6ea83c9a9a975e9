import { cachedEmbeddings, type CachedEmbeddings, type CacheStats } from '@palimpsest/adapters-embedding-cache';
import { OPERATOR_KEY_VARIABLE } from '@palimpsest/contracts';
import { SYSTEM, type System } from '@palimpsest/foundation';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import type { EmbeddingProvider, ModelRegistry, RecordFingerprint, RegisteredModel, TenantEmbeddings } from '@palimpsest/knowledge/ports';
import { modelIdOf, type ModelDefinition, type ModelFingerprint, type ModelOrigin } from '@palimpsest/knowledge/models';
import { embeddingVersion, recipeWith, type EmbeddingVersion, type TenantId } from '@palimpsest/knowledge/values';
import type { EmbeddingSettings } from '../settings/process-settings.ts';
import { breakingEmbeddings, type BreakingEmbeddings } from './breaking-embeddings.ts';
import { describeModel, type DescribedModel, type ModelOptions } from './describe-model.ts';
import { guardedEmbeddings, type GuardedEmbeddings } from './guarded-embeddings.ts';
import { lazyProvider, type LazyProvider } from './lazy-provider.ts';
import { DEFAULT_BATCH, limitedEmbeddings } from './limited-embeddings.ts';
import { modelFolderIn } from './model-folders.ts';
import { RequestGate } from './request-gate.ts';

/** Embedding version of the model in the repository. */
const BUILT_IN = embeddingVersion('onnx:all-minilm-l6-v2-int8/384');
const BUILT_IN_LANGUAGES = ['en'];

type OnnxOptions = Parameters<typeof import('@palimpsest/adapters-onnx').openOnnxEmbeddings>[0];

/** Imported on first use: another source may have been selected. */
const onnxModel = async (options: OnnxOptions): Promise<EmbeddingProvider> =>
  (await import('@palimpsest/adapters-onnx')).openOnnxEmbeddings(options);

/** The model in the repository, which scopes may still have. Its folder may be missing from an installation that does not need it. */
const builtInModel = async (threads: number): Promise<DescribedModel> => {
  const { describeOnnxModel, onnxTextWindow } = await import('@palimpsest/adapters-onnx');
  const { traits } = await describeOnnxModel().catch(() => ({ traits: undefined }));
  return {
    version: BUILT_IN,
    languages: BUILT_IN_LANGUAGES,
    ...(traits === undefined ? {} : { traits }),
    open: () => onnxModel({ threads }),
    window: () => onnxTextWindow(),
    definition: {},
  };
};

/** A model without a cache is the same for every tenant. */
export const withoutMemory = (provider: EmbeddingProvider): TenantEmbeddings => ({
  version: provider.version,
  forTenant: () => provider,
  close: () => provider.close(),
});

export type OpenModels = ModelRegistry &
  Readonly<{
    /** Cache hits and misses since the start, over all models. */
    cacheStats: () => CacheStats;
    /** Cache hits and misses of each model. */
    cacheStatsByVersion: () => ReadonlyMap<EmbeddingVersion, CacheStats>;
    /** The models of endpoints, and what keeps this process from using them: another model under the name, an open circuit. */
    endpoints: () => readonly Readonly<{ version: EmbeddingVersion; changed: boolean; open: boolean }>[];
    /** Removes what is cached of a tenant, with every model. @throws Unavailable if that is not certain */
    forget: (tenant: TenantId) => Promise<void>;
    close: () => Promise<void>;
  }>;

type Entry = Readonly<{
  /** Within its limits, without the cache, and not compared with its fingerprint. */
  direct: EmbeddingProvider;
  /** Missing if the files of the model have a digest: then it cannot change under its name. */
  guard?: GuardedEmbeddings;
  circuit?: BreakingEmbeddings['circuit'];
  embeddings: CachedEmbeddings;
  /** Missing for the current model, which stays loaded. */
  lazy?: LazyProvider;
  traits?: EmbeddingProvider['traits'];
  described: Omit<RegisteredModel, 'loaded'>;
}>;

type Options = Readonly<{ queryThread?: boolean; analyser?: string; system?: Pick<System, 'clock' | 'scheduler'> }>;

/**
 * Opens the current model for everything new, and makes the others available: the built-in model for scopes that still have its vectors,
 * those of the file, and those that are added later. They are loaded on first use, and unloaded when they are idle.
 * `wrapModel` wraps each model behind the cache of this process, for example with a cache that processes share. `queryThread`: this
 * process embeds passages and queries, and reserves a thread of the model for queries from the start. `analyser`: version of the word
 * analysis of this installation, for the recipes of new generations.
 */
export const openEmbeddingModels = async (
  { threads, folder, cache, source, declared, idleMs, variable, folders }: EmbeddingSettings,
  wrapModel: (provider: EmbeddingProvider) => TenantEmbeddings = withoutMemory,
  { queryThread = false, analyser, system = SYSTEM }: Options = {},
): Promise<OpenModels> => {
  const options: ModelOptions = { threads, variable };
  const entries = new Map<EmbeddingVersion, Entry>();
  const retiring = new Set<Promise<void>>();
  const fingerprints = new Map<EmbeddingVersion, ModelFingerprint>();
  let record: RecordFingerprint = async (_, seen) => seen;

  const keep = (
    provider: EmbeddingProvider,
    { definition, location }: Pick<DescribedModel, 'definition'> & { location?: string },
    origin: ModelOrigin,
  ): Entry => {
    const { limits = {}, pricePerMillionTokens } = definition;
    const { version, traits } = provider;
    const { batchSize = DEFAULT_BATCH } = limits;
    const gate = new RequestGate(limits, system);
    const remote = traits?.digest === undefined ? breakingEmbeddings(provider, system) : undefined;
    const guard = remote && guardOf(remote, batchSize);
    // One text of each request is a canary string.
    const guarded = guard && limitedEmbeddings(guard, { ...limits, batchSize: Math.max(1, batchSize - 1) }, system, gate);
    const direct = limitedEmbeddings(remote ?? provider, limits, system, gate);
    const embeddings = cachedEmbeddings(wrapModel(guarded ?? direct), { maxEntries: cache });
    const entry: Entry = {
      direct,
      ...(remote === undefined || guard === undefined ? {} : { guard, circuit: remote.circuit }),
      embeddings,
      ...(traits === undefined ? {} : { traits }),
      described: {
        id: modelIdOf(version),
        version,
        origin,
        limits,
        ...(pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens }),
        ...(location === undefined ? {} : { location }),
      },
    };
    entries.set(version, entry);
    return entry;
  };
  const guardOf = (provider: EmbeddingProvider, maxTexts: number): GuardedEmbeddings =>
    guardedEmbeddings(provider, {
      known: () => fingerprints.get(provider.version),
      record: async (seen) => {
        const holds = await record(provider.version, seen);
        fingerprints.set(provider.version, holds);
        return holds;
      },
      maxTexts,
      system,
    });
  const viewOf = ({ described, lazy, guard }: Entry): RegisteredModel => {
    const changed = guard?.changed();
    return { ...described, loaded: lazy?.loaded() ?? true, ...(changed === undefined ? {} : { changed }) };
  };
  const isSame = (guard: GuardedEmbeddings): boolean => guard.changed() === undefined;
  const isUsable = ({ guard }: Entry): boolean => guard === undefined || isSame(guard);
  const add = (model: DescribedModel, origin: ModelOrigin): RegisteredModel => {
    const id = modelIdOf(model.version);
    const same = [...entries.values()].find(({ described }) => described.id === id)?.described;
    if (same !== undefined)
      throw new Conflict(
        `the model ${model.version} is already available as ${same.id} (origin: ${same.origin}); a model with other vectors needs another name`,
      );
    const lazy = lazyProvider(model, idleMs, system.scheduler);
    const entry = { ...keep(model.traits === undefined ? lazy : { ...lazy, traits: model.traits }, model, origin), lazy };
    entries.set(model.version, entry);
    return viewOf(entry);
  };

  const fromFile = await Promise.all(
    declared.map(async ({ definition, isDefault, at }) => ({
      at,
      isDefault,
      model: await describeModel(definition, options).catch((error: unknown) => {
        throw error instanceof InvalidValue ? error.within(at) : error;
      }),
    })),
  );
  const byDefault = fromFile.find(({ isDefault }) => isDefault)?.model;
  const current = await openCurrent();
  try {
    for (const { model, at } of fromFile)
      if (model !== byDefault) {
        if (entries.has(model.version)) throw new InvalidValue(at, `a model that is not ${placeOf(model.version)}`, model.version);
        add(model, 'file');
      }
    if (!entries.has(BUILT_IN)) add(await builtInModel(threads), 'built-in');
  } catch (error) {
    await current.close();
    throw error;
  }

  async function openCurrent(): Promise<EmbeddingProvider> {
    if (byDefault !== undefined) {
      const { onnx } = byDefault.definition;
      const opened = onnx === undefined ? await byDefault.open() : await onnxModel({ threads, queryThread, folder: onnx });
      const provider = byDefault.traits === undefined ? opened : { ...opened, traits: byDefault.traits };
      keep(provider, byDefault, 'file');
      return provider;
    }
    const provider = await (source?.() ?? onnxModel({ threads, queryThread, ...(folder === undefined ? {} : { folder }) }));
    const location = source === undefined ? folder : undefined;
    keep(
      provider,
      { definition: {}, ...(location === undefined ? {} : { location }) },
      source === undefined && folder === undefined ? 'built-in' : 'settings',
    );
    return provider;
  }
  /** Operators may only name folders of models and variables of keys: others could hold secrets, which the endpoint would receive. */
  async function describeForOperator(definition: ModelDefinition): Promise<DescribedModel> {
    const { onnx, openai } = definition;
    const name = openai?.apiKeyVariable;
    if (name !== undefined && !OPERATOR_KEY_VARIABLE.test(name))
      throw new InvalidValue('openai.apiKeyVariable', 'a name that starts with MODEL_API_KEY', name);
    if (onnx === undefined) return describeModel(definition, options);
    const described = { ...definition, onnx: await modelFolderIn(folders, onnx) };
    return describeModel(described, options).catch((error: unknown) => {
      throw error instanceof InvalidValue ? error.within('onnx') : error;
    });
  }
  function placeOf(version: EmbeddingVersion): string {
    const { origin } = (entries.get(version) as Entry).described;
    return origin === 'file' ? 'declared in this file before' : 'the current model by other settings (use "default": true instead of them)';
  }

  return {
    current: { version: current.version },
    of: (version, tenant) => {
      const entry = entries.get(version);
      return entry && isUsable(entry) ? entry.embeddings.forTenant(tenant) : undefined;
    },
    versions: () => [...entries].flatMap(([version, entry]) => (isUsable(entry) ? version : [])),
    recipeOf: (version) => recipeWith({ version, ...entries.get(version)?.traits }, analyser),
    models: () => [...entries.values()].map(viewOf),
    cacheStats: () => {
      const all = [...entries.values()].map(({ embeddings }) => embeddings.stats());
      const sum = (of: keyof CacheStats) => all.reduce((total, one) => total + one[of], 0);
      return { hits: sum('hits'), misses: sum('misses'), entries: sum('entries') };
    },
    cacheStatsByVersion: () => new Map([...entries].map(([version, { embeddings }]) => [version, embeddings.stats()])),
    endpoints: () =>
      [...entries].flatMap(([version, { guard, circuit }]) =>
        guard === undefined ? [] : { version, changed: !isSame(guard), open: (circuit?.()?.leftMs ?? 0) > 0 },
      ),
    check: async (definition) => (await describeForOperator(definition)).version,
    add: async (definition) => add(await describeForOperator(definition), 'operator'),
    direct: (version) => entries.get(version)?.direct,
    verify: async (version, signal) => entries.get(version)?.guard?.verify(signal),
    fingerprint: (version) => fingerprints.get(version),
    fingerprinted: (version, fingerprint) => void fingerprints.set(version, fingerprint),
    recordFingerprints: (recorder) => void (record = recorder),
    remove: async (version) => {
      const entry = entries.get(version);
      if (entry === undefined) throw new NotFound('model', version);
      const { lazy, described, embeddings } = entry;
      if (described.origin !== 'operator' || lazy === undefined)
        throw new Conflict(`the model ${version} cannot be removed: it is declared by the installation (origin: ${described.origin})`);
      entries.delete(version);
      const retired = lazy.retire().then(() => embeddings.close());
      retiring.add(retired);
      await retired.finally(() => retiring.delete(retired));
    },
    forget: async (tenant) => {
      for (const { embeddings } of entries.values()) await embeddings.forget(tenant);
    },
    close: async () => {
      await Promise.allSettled(retiring);
      for (const { embeddings } of entries.values()) await embeddings.close();
    },
  };
};
