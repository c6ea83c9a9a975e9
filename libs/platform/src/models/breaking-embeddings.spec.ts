import { SYSTEM } from '@palimpsest/foundation';
import { InvalidValue, Overloaded, ServerAway, Unavailable } from '@palimpsest/knowledge/errors';
import { embeddingVersion } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, describeEmbeddingProvider } from '@palimpsest/test-kit';
import { ManualTime } from '../../test/manual-time.ts';
import { breakingEmbeddings } from './breaking-embeddings.ts';

describeEmbeddingProvider('breakingEmbeddings', {
  open: () => breakingEmbeddings(aFakeEmbeddingProvider({ maxWords: 20 }), SYSTEM),
  openWithWrongWidth: () => breakingEmbeddings(aFakeEmbeddingProvider({ answeredWidth: 3 }), SYSTEM),
  longText: 'word '.repeat(50),
});

const anEndpoint = () => {
  const time = new ManualTime();
  const endpoint: { fails: Error | undefined } = { fails: undefined };
  const provider = aFakeEmbeddingProvider({
    version: embeddingVersion('openai:breaking/8'),
    beforeAnswer: () => {
      if (endpoint.fails !== undefined) throw endpoint.fails;
    },
  });
  const model = breakingEmbeddings(provider, time);
  const call = (signal?: AbortSignal) => model.embed(['text'], 'query', signal);
  const failing = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) await expect(call()).rejects.toBe(endpoint.fails);
  };
  return { time, endpoint, provider, model, call, failing };
};

describe('a model behind a circuit breaker', () => {
  it.each([
    ['cannot be reached', new ServerAway('connection refused'), ServerAway],
    ['fails', new Unavailable('500'), ServerAway],
    ['reports too many requests', new Overloaded('429', 5), Overloaded],
  ])('is not called while its endpoint %s, so that texts wait, with a reason', async (_, error, type) => {
    const { endpoint, call, failing, provider, model } = anEndpoint();
    endpoint.fails = error;
    await failing(3);
    const refused = await call().catch((thrown: unknown) => thrown as Error);
    expect(refused).toBeInstanceOf(type);
    expect(refused).toMatchObject({
      message:
        'the model openai:breaking/8 is not called until 1970-01-01T00:00:05.000Z: its endpoint failed 3 times in a row, and since 1970-01-01T00:00:00.000Z only single calls find out whether it works again',
    });
    expect(provider.calls).toHaveLength(3);
    expect(model.circuit()).toMatchObject({ failures: 3, leftMs: 5_000 });
  });

  it('is called once after a pause that grows to a minute, and normally after a success', async () => {
    const { endpoint, call, failing, time, provider, model } = anEndpoint();
    endpoint.fails = new Unavailable('500');
    await failing(3);
    for (const rest of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await time.pass(rest - 1);
      await expect(call()).rejects.toThrow('is not called until');
      await time.pass(1);
      await failing(1);
    }
    await time.pass(60_000);
    endpoint.fails = undefined;
    await Promise.allSettled([call(), call(), call()]);
    expect(provider.calls).toHaveLength(3 + 6 + 1);
    expect(model.circuit()).toBeUndefined();
    await expect(Promise.all([call(), call()])).resolves.toHaveLength(2);
  });

  it('is not called for as long as the endpoint says', async () => {
    const { endpoint, call, failing, time } = anEndpoint();
    endpoint.fails = new Overloaded('429', 120);
    await failing(1);
    await time.pass(119_000);
    await expect(call()).rejects.toMatchObject({ code: 'Overloaded', retryAfterSeconds: 1 });
    endpoint.fails = undefined;
    await time.pass(1_000);
    await call();
  });

  it('is called after texts that it refuses, and after calls that were aborted', async () => {
    const { endpoint, call, failing, model } = anEndpoint();
    endpoint.fails = new InvalidValue('texts', 'shorter texts', 'long');
    await failing(5);
    endpoint.fails = new Unavailable('500');
    await failing(2);
    const aborted = new AbortController();
    const pending = call(aborted.signal);
    aborted.abort(new Error('not needed any more'));
    await expect(pending).rejects.toThrow();
    await expect(call(aborted.signal)).rejects.toThrow('not needed any more');
    expect(model.circuit()).toBeUndefined();
    endpoint.fails = undefined;
    await call();
  });
});
