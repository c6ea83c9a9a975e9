import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { ModelChanged, Unavailable } from '@palimpsest/knowledge/errors';
import { CANARY_STRINGS, type ModelFingerprint } from '@palimpsest/knowledge/models';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, describeEmbeddingProvider, type FakeEmbeddingOptions } from '@palimpsest/test-kit';
import { ManualTime } from '../../test/manual-time.ts';
import { guardedEmbeddings, type Guard } from './guarded-embeddings.ts';

const VERSION = embeddingVersion('openai:guarded/64');
const OTHER = embeddingVersion('openai:other/64');

const memory = (maxTexts = 128): Omit<Guard, 'system'> => {
  let holds: ModelFingerprint | undefined;
  return { known: () => holds, record: async (seen) => (holds ??= seen), maxTexts };
};
const guarded = (options: FakeEmbeddingOptions) => guardedEmbeddings(aFakeEmbeddingProvider(options), { ...memory(), system: SYSTEM });

describeEmbeddingProvider('guardedEmbeddings', {
  open: () => guarded({ maxWords: 20 }),
  openWithWrongWidth: () => guarded({ answeredWidth: 3 }),
  longText: 'word '.repeat(50),
});

/** An endpoint whose model can be exchanged, and that can fail. */
const anEndpoint = (maxTexts?: number) => {
  const time = new ManualTime();
  const models = { first: aFakeEmbeddingProvider({ version: VERSION }), second: aFakeEmbeddingProvider({ version: OTHER }) };
  const requests: string[][] = [];
  const endpoint = { serves: models.first, away: false, beforeAnswer: async (): Promise<void> => undefined };
  const provider: EmbeddingProvider = {
    version: VERSION,
    window: () => models.first.window(),
    embed: async (texts, kind, signal) => {
      requests.push([...texts]);
      await endpoint.beforeAnswer();
      if (endpoint.away) throw new Unavailable('the endpoint is away');
      return endpoint.serves.embed(texts, kind, signal);
    },
    close: () => Promise.resolve(),
  };
  const guard = memory(maxTexts);
  const model = guardedEmbeddings(provider, { ...guard, system: time });
  return { time, models, requests, endpoint, guard, model };
};

describe('a model behind an endpoint', () => {
  it('is compared with its fingerprint in each request for passages, and once before the first', async () => {
    const { model, requests, guard } = anEndpoint();
    const made = await model.embed(['one', 'two'], 'passage');
    expect(made).toHaveLength(2);
    await model.embed(['three'], 'background');
    expect(requests).toEqual([[...CANARY_STRINGS], ['one', 'two', CANARY_STRINGS[0]], ['three', CANARY_STRINGS[1]]]);
    expect(guard.known()).toHaveLength(CANARY_STRINGS.length);
  });

  it('gets a request of its own for the comparison if its requests may hold one text only', async () => {
    const { model, requests, endpoint, models } = anEndpoint(1);
    await model.embed(['one'], 'passage');
    expect(requests.slice(1)).toEqual([['one'], [CANARY_STRINGS[0]]]);
    endpoint.serves = models.second;
    await expect(model.embed(['two'], 'passage')).rejects.toBeInstanceOf(ModelChanged);
  });

  it('returns no vector of another model, whenever it is exchanged', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ exchanged: fc.boolean(), texts: fc.integer({ min: 1, max: 4 }) }), { maxLength: 12 }),
        async (calls) => {
          const { model, endpoint, models } = anEndpoint(3);
          await model.embed(['first use'], 'passage');
          for (const [i, { exchanged, texts }] of calls.entries()) {
            let requests = 0;
            // In the middle of a call, too: after its first request.
            endpoint.beforeAnswer = async () => void (endpoint.serves = exchanged && requests++ >= i % 2 ? models.second : models.first);
            const asked = Array.from({ length: Math.min(texts, 2) }, (_, n) => `call ${i} text ${n}`);
            const made = await model.embed(asked, 'passage').catch((error: unknown) => error as ModelChanged);
            if (made instanceof Error) expect(made).toBeInstanceOf(ModelChanged);
            else expect(made).toEqual(await models.first.embed(asked, 'passage'));
          }
        },
      ),
    ));

  it('that changed is named with the similarity and what to do, and is used again when it is the same again', async () => {
    const { model, endpoint, models, time } = anEndpoint();
    await model.embed(['one'], 'passage');
    endpoint.serves = models.second;
    await expect(model.embed(['two'], 'passage')).rejects.toThrow(
      /^the model openai:guarded\/64 changed under its name: .* a cosine of -?0\.\d{3} .* make the earlier model available .* or cancel/,
    );
    expect(model.changed()).toContain('changed under its name');
    await time.pass(60_000);
    expect(model.changed()).toContain('changed under its name');
    endpoint.away = true;
    await time.pass(60_000);
    expect(model.changed()).toContain('changed under its name');
    Object.assign(endpoint, { serves: models.first, away: false });
    await time.pass(10_000);
    expect(model.changed()).toBeUndefined();
    await expect(model.embed(['two'], 'passage')).resolves.toHaveLength(1);
  });

  it('is compared for queries once a minute, next to the query, and not before it has a fingerprint', async () => {
    const { model, requests, endpoint, models, time } = anEndpoint();
    await model.embed(['query'], 'query');
    await model.embed(['passage'], 'passage');
    await model.embed(['query'], 'query');
    expect(requests).toHaveLength(4);
    await time.pass(60_000);
    await model.embed(['query'], 'query');
    expect(requests.slice(4)).toEqual([[...CANARY_STRINGS], ['query']]);
    await time.pass(60_000);
    endpoint.serves = models.second;
    await expect(model.embed(['query'], 'query')).rejects.toBeInstanceOf(ModelChanged);
  });

  it('is not called changed because it fails', async () => {
    const { model, endpoint, time } = anEndpoint();
    await model.embed(['one'], 'passage');
    endpoint.away = true;
    await time.pass(60_000);
    for (const kind of ['passage', 'query'] as const) await expect(model.embed(['two'], kind)).rejects.toThrow('the endpoint is away');
    await expect(model.verify()).rejects.toThrow('the endpoint is away');
    expect(model.changed()).toBeUndefined();
  });

  it('is compared with what another process recorded first', async () => {
    const { model, guard, models } = anEndpoint();
    const another = guardedEmbeddings({ ...models.second, version: VERSION }, { ...guard, system: SYSTEM });
    await another.embed(['one'], 'passage');
    await expect(model.embed(['one'], 'passage')).rejects.toBeInstanceOf(ModelChanged);
  });

  it('reports the comparison', async () => {
    const { model } = anEndpoint();
    const { strings, lowest } = await model.verify();
    expect(strings).toBe(CANARY_STRINGS.length);
    expect(lowest).toBeGreaterThan(0.9999);
  });
});
