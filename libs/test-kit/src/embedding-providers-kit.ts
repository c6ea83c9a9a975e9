import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { modelId, modelIdOf } from '@palimpsest/knowledge/models';
import { embeddingVersion, tenantId } from '@palimpsest/knowledge/values';

export type EmbeddingProvidersUnderTest = Readonly<{ providers: EmbeddingProviders; dispose(): Promise<void> }>;

const [ACME, OTHER] = [tenantId('acme'), tenantId('other')];

/** The contract of `EmbeddingProviders`. Embeds nothing: the contract of each model is checked by `describeEmbeddingProvider`. */
export const describeEmbeddingProviders = (name: string, open: () => Promise<EmbeddingProvidersUnderTest>): void =>
  describe(`${name} fulfils the contract of EmbeddingProviders`, () => {
    let under: EmbeddingProvidersUnderTest;
    beforeAll(async () => {
      under = await open();
    });
    afterAll(() => under.dispose());

    it('lists each version once, among them the current one', () => {
      const { providers } = under;
      expect(providers.versions()).toContain(providers.current.version);
      expect(new Set(providers.versions()).size).toBe(providers.versions().length);
    });

    it('returns an embedder of exactly the requested version, for every tenant', () => {
      const { providers } = under;
      for (const version of providers.versions())
        for (const tenant of [ACME, OTHER]) expect(providers.of(version, tenant)?.version).toBe(version);
    });

    it('returns nothing for a version that is not configured', () =>
      expect(under.providers.of(embeddingVersion('kit:none/8'), ACME)).toBeUndefined());

    it('returns the same recipe of a version each time', () => {
      for (const version of under.providers.versions()) {
        const recipe = under.providers.recipeOf(version);
        expect(recipe.embedding.version).toBe(version);
        expect(under.providers.recipeOf(version)).toEqual(recipe);
      }
    });

    it('describes each version once, with an id that fits into a path', () => {
      const models = under.providers.models();
      expect(models.map(({ version }) => version)).toEqual(under.providers.versions());
      for (const { id, version } of models) expect(modelId(id)).toBe(modelIdOf(version));
      expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    });

    it('describes limits as positive numbers, and prices that are not negative', () => {
      for (const { limits, pricePerMillionTokens = 0 } of under.providers.models()) {
        for (const value of Object.values(limits)) expect(value).toBeGreaterThan(0);
        expect(pricePerMillionTokens).toBeGreaterThanOrEqual(0);
      }
    });

    it('loads no model to describe it', async () => {
      const before = under.providers.models();
      for (const version of under.providers.versions()) await under.providers.of(version, ACME)?.window();
      expect(under.providers.models()).toEqual(before);
    });
  });
