import { SYSTEM } from '@palimpsest/foundation';
import { Overloaded, Unavailable } from '@palimpsest/knowledge/errors';
import { aFakeReranker, describeReranker } from '@palimpsest/test-kit';
import { ManualTime } from '../../test/manual-time.ts';
import { breakingReranker } from './breaking-reranker.ts';

describeReranker('breakingReranker', {
  open: () => breakingReranker(aFakeReranker(), SYSTEM),
  openBroken: { 'too few scores': () => breakingReranker(aFakeReranker({ answer: () => [] }), SYSTEM) },
});

const anEndpoint = () => {
  const time = new ManualTime();
  const endpoint: { answer: () => Promise<readonly number[]> } = { answer: async () => [1] };
  const fake = aFakeReranker({ answer: () => endpoint.answer() });
  const reranker = breakingReranker(fake, time);
  const ask = (signal?: AbortSignal) => reranker.score('pump', [{ title: '', context: '', text: 'a pump' }], signal);
  return { time, endpoint, ask, asked: () => fake.calls.length };
};

describe('A reranker behind a circuit breaker', () => {
  it('is not asked while its endpoint fails, and once after a pause', async () => {
    const { time, endpoint, ask, asked } = anEndpoint();
    endpoint.answer = () => Promise.reject(new Unavailable('500'));
    for (let i = 0; i < 3; i++) await expect(ask()).rejects.toThrow('500');
    await expect(ask()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('failed 3 times'),
      forCallers: true,
    });
    expect(asked()).toBe(3);
    await time.pass(5_000);
    endpoint.answer = async () => [1];
    await expect(Promise.allSettled([ask(), ask()])).resolves.toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }]);
    await expect(ask()).resolves.toEqual([1]);
  });

  it('is not asked when it did not answer within the budget of three searches', async () => {
    const { endpoint, ask, asked } = anEndpoint();
    for (let i = 0; i < 3; i++) {
      const budget = new AbortController();
      endpoint.answer = async () => {
        budget.abort(new Error('too late'));
        return [1];
      };
      await expect(ask(budget.signal)).rejects.toThrow('too late');
    }
    await expect(ask()).rejects.toMatchObject({ code: 'Unavailable' });
    expect(asked()).toBe(3);
  });

  it('is not asked for as long as it says, at most a minute', async () => {
    const { time, endpoint, ask, asked } = anEndpoint();
    endpoint.answer = () => Promise.reject(new Overloaded('429', 3_600));
    await expect(ask()).rejects.toThrow('429');
    await time.pass(59_000);
    await expect(ask()).rejects.toMatchObject({ code: 'Unavailable' });
    expect(asked()).toBe(1);
    await time.pass(1_000);
    endpoint.answer = async () => [1];
    await expect(ask()).resolves.toEqual([1]);
  });

  it('is asked again after a fault of the program', async () => {
    const { endpoint, ask, asked } = anEndpoint();
    endpoint.answer = () => Promise.reject(new TypeError('broken'));
    for (let i = 0; i < 5; i++) await expect(ask()).rejects.toThrow('broken');
    expect(asked()).toBe(5);
  });
});
