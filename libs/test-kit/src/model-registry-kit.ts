import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRegistry } from '@palimpsest/knowledge/ports';
import { modelIdOf, type ModelDefinition } from '@palimpsest/knowledge/models';
import { tenantId } from '@palimpsest/knowledge/values';

export type ModelRegistryUnderTest = Readonly<{ registry: ModelRegistry; dispose(): Promise<void> }>;

const ACME = tenantId('acme');
const LIMITS = { batchSize: 4, requestsPerMinute: 100 };
const ENDPOINT = {
  openai: { baseUrl: 'http://127.0.0.1:1/v1', model: 'kit-model', dimensions: 16 },
  limits: LIMITS,
  pricePerMillionTokens: 0.5,
};

/** The contract of `ModelRegistry`, in addition to that of `EmbeddingProviders`. Calls no endpoint. */
export const describeModelRegistry = (name: string, open: () => Promise<ModelRegistryUnderTest>): void =>
  describe(`${name} fulfils the contract of ModelRegistry`, () => {
    let under: ModelRegistryUnderTest;
    let registry: ModelRegistry;
    beforeEach(async () => {
      under = await open();
      ({ registry } = under);
    });
    afterEach(() => under.dispose());

    it('checks a definition without making the model available', async () => {
      const version = await registry.check(ENDPOINT);
      expect(version).toBe('openai:kit-model/16');
      expect(registry.versions()).not.toContain(version);
    });

    it('makes a model available, with its limits and price, and without loading it', async () => {
      const before = registry.versions();
      const added = await registry.add(ENDPOINT);
      expect(added).toMatchObject({ origin: 'operator', limits: LIMITS, pricePerMillionTokens: 0.5, loaded: false });
      expect(added.id).toBe(modelIdOf(added.version));
      expect(registry.versions()).toEqual([...before, added.version]);
      expect(registry.models().at(-1)).toEqual(added);
      expect(registry.of(added.version, ACME)?.version).toBe(added.version);
      expect(registry.direct(added.version)?.version).toBe(added.version);
      expect(registry.recipeOf(added.version).embedding.version).toBe(added.version);
    });

    it('refuses a second model of the same version', async () => {
      await registry.add(ENDPOINT);
      await expect(registry.add({ ...ENDPOINT, limits: {} })).rejects.toMatchObject({ code: 'Conflict' });
    });

    it.each<[string, ModelDefinition]>([
      ['a folder outside of those for models', { onnx: '../../etc' }],
      ['a folder that does not exist', { onnx: 'missing' }],
    ])('refuses %s', async (_, definition) => {
      await expect(registry.check(definition)).rejects.toMatchObject({ code: 'InvalidValue', field: 'onnx' });
      await expect(registry.add(definition)).rejects.toMatchObject({ code: 'InvalidValue', field: 'onnx' });
    });

    it('removes a model of an operator, which can be added again', async () => {
      const { version } = await registry.add(ENDPOINT);
      await registry.remove(version);
      expect(registry.versions()).not.toContain(version);
      expect([registry.of(version, ACME), registry.direct(version)]).toEqual([undefined, undefined]);
      await expect(registry.remove(version)).rejects.toMatchObject({ code: 'NotFound' });
      await expect(registry.add(ENDPOINT)).resolves.toMatchObject({ version });
    });

    it('does not remove a model that no operator added', () =>
      expect(registry.remove(registry.current.version)).rejects.toMatchObject({ code: 'Conflict' }));
  });
