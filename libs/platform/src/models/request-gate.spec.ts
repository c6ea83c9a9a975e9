import fc from 'fast-check';
import type { EmbeddingKind } from '@palimpsest/knowledge/ports';
import { ManualTime, settled } from '../../test/manual-time.ts';
import { RequestGate } from './request-gate.ts';

/** Starts requests that end when the test says so. */
const gated = (limits: ConstructorParameters<typeof RequestGate>[0]) => {
  const time = new ManualTime();
  const gate = new RequestGate(limits, time);
  const started: { name: string; at: number; tokens: number }[] = [];
  const ends: (() => void)[] = [];
  const request = (name: string, tokens = 1, kind: EmbeddingKind = 'passage', signal?: AbortSignal) =>
    gate.run(tokens, kind, signal, () => {
      started.push({ name, at: time.clock.elapsed(), tokens });
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { time, request, started, names: () => started.map(({ name }) => name), end: () => ends.shift()?.() };
};

describe('the gate of a model', () => {
  it('limits the requests at the same time, and lets queries go first', async () => {
    const { request, names, end } = gated({ concurrency: 1 });
    const all = [request('a'), request('b'), request('q', 1, 'query')];
    await settled();
    expect(names()).toEqual(['a']);
    end();
    await settled();
    expect(names()).toEqual(['a', 'q']);
    end();
    await settled();
    end();
    await Promise.all(all);
    expect(names()).toEqual(['a', 'q', 'b']);
  });

  it('starts background requests last, but at least every eighth', async () => {
    const { request, names, end } = gated({ concurrency: 1 });
    const all = [request('running'), request('late', 1, 'background'), request('later', 1, 'background')];
    for (let i = 1; i <= 9; i++) all.push(request(`p${i}`));
    all.push(request('q', 1, 'query'));
    for (let i = 0; i < all.length; i++) {
      await settled();
      end();
    }
    await Promise.all(all);
    expect(names()).toEqual(['running', 'q', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'late', 'p8', 'p9', 'later']);
  });

  it('never starts more requests or tokens in any minute than allowed, and starts all of them', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 80 }), fc.nat(30_000)), { maxLength: 12 }),
        async (requestsPerMinute, tokensPerMinute, requests) => {
          const { time, request, started, end } = gated({ requestsPerMinute, tokensPerMinute });
          for (const [tokens, pauseMs] of requests) {
            void request('one', tokens).then(end);
            await time.pass(pauseMs);
            end();
          }
          await time.pass(requests.length * 60_000);
          expect(started).toHaveLength(requests.length);
          for (const { at } of started) {
            const window = started.filter((other) => other.at >= at && other.at < at + 60_000);
            expect(window.length).toBeLessThanOrEqual(requestsPerMinute);
            const tokens = window.reduce((sum, one) => sum + Math.min(one.tokens, tokensPerMinute), 0);
            expect(tokens).toBeLessThanOrEqual(tokensPerMinute);
          }
        },
      ),
      { numRuns: 40 },
    ));

  it('forgets a waiting request whose signal aborts, with its reason', async () => {
    const { request, names, end } = gated({ concurrency: 1 });
    const running = request('a');
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const waiting = request('b', 1, 'passage', controller.signal);
    const last = request('c');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    end();
    await running;
    await settled();
    expect(names()).toEqual(['a', 'c']);
    end();
    await last;
  });

  it('lets the next request start after one that failed', async () => {
    const time = new ManualTime();
    const gate = new RequestGate({ concurrency: 1 }, time);
    await expect(gate.run(1, 'query', undefined, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await expect(gate.run(1, 'query', undefined, async () => 'up')).resolves.toBe('up');
  });
});
