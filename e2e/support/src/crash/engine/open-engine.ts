import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@palimpsest/foundation';
import { aFakeEmbeddingProvider, aRegisteredModel } from '@palimpsest/test-kit';
import type { Journal } from '@palimpsest/contracts';
import { ingestion } from '@palimpsest/ingestion';
import type { Access } from '@palimpsest/knowledge/access';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Caller } from '@palimpsest/knowledge/messages';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { recipeWith, DEFAULT_TENANT, embeddingVersionOf } from '@palimpsest/knowledge/values';
import { createPlatform } from '@palimpsest/platform';
import { openDataFolder, openEmbeddedAdapters } from '@palimpsest/platform/embedded';
import { platformConfig } from '@palimpsest/platform/settings';
import { administration, readModels, relay, VerifyReadModels, type ReadModelRunner } from '@palimpsest/projections';
import { query } from '@palimpsest/query';
import { ensureLocalKey } from '@palimpsest/platform-app/local-key';
import { UNSPEAKABLE } from '../work.ts';
import { PLAIN_TEXT } from './plain-text-parser.ts';

/** The caller of all tasks. */
const ADMIN: Access = { tenant: DEFAULT_TENANT, teams: ['*'], user: 'local', roles: ['admin', 'operator'], actor: 'crash-test' };
const CALLER: Caller = { access: ADMIN, correlationId: 'crash-test' };

const CATCH_UP_MS = 200_000;

/** Low enough that both indexes are compacted in most runs. */
const COMPACT_FROM_BYTES = 512;

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** The model "wide-8192" has 8192 dimensions; a model without a number has 64. */
const dimensionsOf = (model: string): number => Number(/^wide-(\d+)$/.exec(model)?.[1] ?? 64);

/** Fake embeddings. The refused word is the same as that of the stand-in in the scenarios over HTTP. */
const embeddings = (model: string): EmbeddingProviders => {
  const provider = aFakeEmbeddingProvider({
    version: embeddingVersionOf({ provider: 'fake', model, dimensions: dimensionsOf(model) }),
    ...(dimensionsOf(model) > 64 ? { maxWords: 16 } : {}),
    beforeAnswer: ({ texts }) => {
      if (texts.some((text) => text.includes(UNSPEAKABLE))) throw new InvalidValue('text', 'a text without the refused word', UNSPEAKABLE);
    },
  });
  return {
    current: provider,
    of: (version) => (version === provider.version ? provider : undefined),
    versions: () => [provider.version],
    recipeOf: (version) => recipeWith({ version }),
    models: () => [aRegisteredModel(provider.version)],
  };
};

const FEATURES = [readModels, relay, administration, ingestion, query] as const;

/**
 * Opens a folder as `startPlatform` does, without HTTP. A kill counts as an attempt of the current work, so the maximum number of
 * attempts is very high here.
 */
export const openEngine = async (data: string, model: string) => {
  const onFault = (error: unknown, about: string): void => void process.stderr.write(`${about}: ${String(error)}\n`);
  const config = platformConfig({
    PALIMPSEST_DATA: data,
    PALIMPSEST_OPENAI_MODEL: model,
    PALIMPSEST_OPENAI_DIMENSIONS: '64',
    PALIMPSEST_OPENAI_API_KEY: 'none',
  });
  const folder = await openDataFolder(config.data);
  const { ports, close } = await openEmbeddedAdapters(config, folder, onFault, undefined, { compactFromBytes: COMPACT_FROM_BYTES });
  const providers = { ...ports.providers, ...embeddings(model) };
  const settings = { ...config, queueCapacity: 10_000, ingestionConcurrency: 2, ingestionAttempts: 1_000_000 };
  const platform = createPlatform(FEATURES, { ...ports, providers, parser: PLAIN_TEXT, settings });
  await platform.start();
  await ensureLocalKey(folder.localKey, platform.apiKeys, () => undefined);
  await caughtUp(ports.journal, ports.readModels);

  const { apiKeys, buses, journal } = platform;
  const { catalog, vectors, lexical, keys } = ports;
  const stores = { journal, catalog, vectors, lexical, keys };
  return {
    access: ADMIN,
    caller: CALLER,
    buses,
    journal,
    runner: ports.readModels,
    /** Reports that every read model is damaged: all files are removed, and everything is projected again. */
    damageAll: async (): Promise<void> => {
      for (const name of ['vectors', 'lexical'] as const)
        for (const partition of await ports[name].partitions()) ports.readModels.indexDamaged(name, partition, 'by the test');
      ports.readModels.catalogDamaged('by the test');
    },
    /** Resolves when only the current read models are on disk. */
    previousSetDeleted: async (): Promise<void> => {
      const current = (await readFile(join(folder.readModels, 'current'), 'utf8')).trim();
      const isLeft = (entry: string): boolean => entry !== 'current' && entry !== current;
      await until('the previous read models are not deleted', async () => !(await readdir(folder.readModels)).some(isLeft));
    },
    catalog: ports.catalog,
    bus: ports.bus,
    apiKeys,
    // Without the uploads: scenarios damage them on purpose, and ask whether the read models are right.
    verify: new VerifyReadModels(stores, ports.readModels, ports.digests),
    close: async (): Promise<void> => {
      await platform.stop();
      await close();
    },
  };
};

/** The same condition as `/health/ready`. */
export const caughtUp = async (journal: Journal, runner: ReadModelRunner): Promise<void> => {
  const head = await journal.log.head();
  await until('the read models do not catch up', async () => runner.serving() && runner.position() >= head);
};

const until = async (otherwise: string, isReached: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + CATCH_UP_MS; !(await isReached()); await pause(5))
    if (performance.now() > end) throw new Error(otherwise);
};
