import { Unavailable } from '@palimpsest/knowledge/errors';
import { BACKGROUND_TEXTS } from '@palimpsest/knowledge/models';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { Background } from './background.ts';

/** A model that counts the texts that it gets. */
const aModel = (label = 'fake:bag-of-words/64') => {
  const inner = aFakeEmbeddingProvider();
  const counted = {
    texts: 0,
    fails: false,
    version: embeddingVersion(label),
    embed: async (...[texts, kind]: Parameters<typeof inner.embed>) => {
      if (counted.fails) throw new Unavailable('the model is not there');
      counted.texts += texts.length;
      return inner.embed(texts, kind);
    },
  };
  return counted;
};
const QUERY = Float32Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0));

describe('The background of a model', () => {
  it('is the spread of the cosines of unrelated passages to the query', async () => {
    const model = aModel();
    const vectors = (await model.embed(BACKGROUND_TEXTS, 'passage')).map(({ vector }) => vector);
    const cosines = vectors.map((vector) => vector[0] ?? 0);
    const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length;
    const { count, ...spread } = await new Background().spread(model, new Float32Array(vectors[0]?.length ?? 0).fill(1, 0, 1));
    expect(count).toBe(BACKGROUND_TEXTS.length);
    expect(spread.mean).toBeCloseTo(mean, 6);
    expect(spread.deviation).toBeGreaterThan(0);
  });

  it('embeds them once for each model, also for searches at the same time', async () => {
    const [background, one, other] = [new Background(), aModel(), aModel('fake:other/64')];
    await Promise.all([background.spread(one, QUERY), background.spread(one, QUERY)]);
    await background.spread(one, QUERY);
    await background.spread(other, QUERY);
    expect([one.texts, other.texts]).toEqual([BACKGROUND_TEXTS.length, BACKGROUND_TEXTS.length]);
  });

  it('is asked for again after a failure', async () => {
    const [background, model] = [new Background(), aModel()];
    model.fails = true;
    await expect(background.spread(model, QUERY)).rejects.toThrow(Unavailable);
    model.fails = false;
    expect((await background.spread(model, QUERY)).count).toBe(BACKGROUND_TEXTS.length);
  });
});
