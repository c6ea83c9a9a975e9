import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { embeddingVersion, tenantId } from '@palimpsest/knowledge/values';
import { describeEmbeddingProviders, describeModelRegistry } from '@palimpsest/test-kit';
import { openEmbeddingModels } from './embedding-models.ts';
import { embeddingOf, embeddingSettings, readSettings, type EmbeddingSettings } from '../settings/process-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (env: Readonly<Record<string, string>>): EmbeddingSettings => readSettings(z.object(embeddingSettings), embeddingOf, env);
const SETTINGS = read({ PALIMPSEST_EMBEDDING_THREADS: '1' });
const OPENAI_ENV = {
  PALIMPSEST_OPENAI_MODEL: 'text-embedding-3-small',
  PALIMPSEST_OPENAI_API_KEY: 'none',
  PALIMPSEST_OPENAI_BASE_URL: 'http://127.0.0.1:1',
};
const OPENAI = read(OPENAI_ENV);

const BUILT_IN_FOLDER = fileURLToPath(new URL('../../../../models/all-minilm-l6-v2-int8', import.meta.url));
const ENDPOINT = { baseUrl: 'http://127.0.0.1:1/v1', model: 'bge-m3', dimensions: 1024, provider: 'local' };
const LIMITS = { batchSize: 4, requestsPerMinute: 100 };
let files = 0;
const fileOf = (...models: readonly unknown[]): string => {
  const file = join(folder, `${++files}.json`);
  writeFileSync(file, JSON.stringify({ models }));
  return file;
};
const withFile = (...models: readonly unknown[]) => read({ PALIMPSEST_EMBEDDING_THREADS: '1', PALIMPSEST_MODELS: fileOf(...models) });

const open = (settings: EmbeddingSettings) => async () => {
  const providers = await openEmbeddingModels(settings);
  return { providers, dispose: () => providers.close() };
};

describeEmbeddingProviders('openEmbeddingModels with the built-in model', open(SETTINGS));
describeEmbeddingProviders('openEmbeddingModels with another model next to the built-in one', open(OPENAI));
describeEmbeddingProviders(
  'openEmbeddingModels with a file',
  open(
    withFile({ openai: ENDPOINT, limits: LIMITS, pricePerMillionTokens: 0.02, default: true }, { openai: { ...ENDPOINT, model: 'other' } }),
  ),
);

describeModelRegistry('openEmbeddingModels', async () => {
  const registry = await openEmbeddingModels(OPENAI);
  return { registry, dispose: () => registry.close() };
});

describe('the models of an installation', () => {
  it('are those of the file next to the current and the built-in one, with their limits and prices', async () => {
    const models = await openEmbeddingModels(withFile({ openai: ENDPOINT, limits: LIMITS, pricePerMillionTokens: 0.02 }));
    expect(models.current.version).toBe('onnx:all-minilm-l6-v2-int8/384');
    expect(models.models()).toMatchObject([
      { id: 'onnx_all-minilm-l6-v2-int8_384', origin: 'built-in', loaded: true },
      { id: 'local_bge-m3_1024', origin: 'file', limits: LIMITS, pricePerMillionTokens: 0.02, location: ENDPOINT.baseUrl, loaded: false },
    ]);
    await models.close();
  });

  it('start with the default of the file, and describe its folder for recipes', async () => {
    const models = await openEmbeddingModels(withFile({ onnx: BUILT_IN_FOLDER, default: true }));
    expect(models.models()).toMatchObject([{ version: models.current.version, origin: 'file', loaded: true }]);
    expect(models.recipeOf(models.current.version).embedding).toMatchObject({
      pooling: 'mean',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await models.close();
  });

  it('can be added and removed, but only those of an operator are removed', async () => {
    const models = await openEmbeddingModels(OPENAI);
    const version = embeddingVersion('local:bge-m3/1024');
    await expect(models.check({ openai: ENDPOINT })).resolves.toBe(version);
    await expect(models.add({ openai: ENDPOINT })).resolves.toMatchObject({ id: 'local_bge-m3_1024', origin: 'operator', loaded: false });
    expect(models.of(version, tenantId('acme'))?.version).toBe(version);
    await expect(models.add({ openai: ENDPOINT })).rejects.toThrow('is already available as local_bge-m3_1024');
    await models.remove(version);
    expect(models.of(version, tenantId('acme'))).toBeUndefined();
    await expect(models.remove(version)).rejects.toMatchObject({ code: 'NotFound' });
    for (const other of models.versions()) await expect(models.remove(other)).rejects.toMatchObject({ code: 'Conflict' });
    await models.close();
  });
});

describe('what an operator may name', () => {
  const checking = async (definition: Parameters<Awaited<ReturnType<typeof openEmbeddingModels>>['check']>[0], env = {}) => {
    const models = await openEmbeddingModels(read({ ...OPENAI_ENV, ...env }));
    return models.check(definition).finally(() => models.close());
  };

  it('is a folder of models, not another one', async () => {
    await expect(checking({ onnx: 'all-minilm-l6-v2-int8' })).resolves.toBe('onnx:all-minilm-l6-v2-int8/384');
    for (const onnx of ['../libs', '/etc', folder])
      await expect(checking({ onnx })).rejects.toMatchObject({ code: 'InvalidValue', field: 'onnx' });
  });

  it.each(['HOME', 'PALIMPSEST_MASTER_KEY', 'AWS_SECRET_ACCESS_KEY', 'XMODEL_API_KEY'])('is not the variable %s', (apiKeyVariable) =>
    expect(checking({ openai: { ...ENDPOINT, apiKeyVariable } })).rejects.toMatchObject({
      code: 'InvalidValue',
      field: 'openai.apiKeyVariable',
      expected: 'a name that starts with MODEL_API_KEY',
    }),
  );

  it('is a variable of a key that is set', async () => {
    const definition = { openai: { ...ENDPOINT, apiKeyVariable: 'MODEL_API_KEY_SPEC' } };
    await expect(checking(definition)).rejects.toMatchObject({ field: 'openai.apiKeyVariable' });
    await expect(checking(definition, { MODEL_API_KEY_SPEC: 'secret' })).resolves.toBe('local:bge-m3/1024');
  });
});

describe('settings that select no or several models', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'two current models',
      () => read({ ...OPENAI_ENV, PALIMPSEST_MODEL: BUILT_IN_FOLDER }),
      /^PALIMPSEST_MODEL: expected only one of .* \(PALIMPSEST_MODEL and PALIMPSEST_OPENAI_MODEL\), got 2/,
    ],
    [
      'a default in the file and a setting',
      () => read({ PALIMPSEST_MODEL: BUILT_IN_FOLDER, PALIMPSEST_MODELS: fileOf({ openai: ENDPOINT, default: true }) }),
      /PALIMPSEST_MODEL and "default": true in PALIMPSEST_MODELS .*models\[0\]/s,
    ],
    [
      'two models of one version',
      () => openEmbeddingModels(withFile({ openai: ENDPOINT }, { openai: { ...ENDPOINT, baseUrl: 'http://127.0.0.1:2/v1' } })),
      /models\[1\]: expected a model that is not declared in this file before, got "local:bge-m3\/1024"/,
    ],
    [
      'the current model again in the file',
      () => openEmbeddingModels(withFile({ onnx: BUILT_IN_FOLDER })),
      /models\[0\]: expected a model that is not the current model by other settings .*, got "onnx:all-minilm/,
    ],
    [
      'a folder without a model',
      () => openEmbeddingModels(withFile({ onnx: 'nowhere' })),
      /models\[0\]\..*nowhere\/model\.json: expected a file that can be read/,
    ],
    [
      'a key that is not in the environment',
      () => openEmbeddingModels(withFile({ openai: { ...ENDPOINT, apiKeyVariable: 'NO_SUCH_KEY' } })),
      /models\[0\]\.openai\.apiKeyVariable: expected an environment variable that is set in this process, got "NO_SUCH_KEY"/,
    ],
  ])('refuse %s', async (_, start, message) => {
    await expect((async () => start())()).rejects.toThrow(message);
  });
});
