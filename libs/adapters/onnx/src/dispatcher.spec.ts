import type { Embedding } from '@palimpsest/knowledge/ports';

import { deferred, type Deferred } from './deferred.ts';
import { Dispatcher } from './dispatcher.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

const embedding = (tokens: number): Embedding => ({ vector: Float32Array.of(1), tokens, truncated: false });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Workers that the test controls. `texts` are all texts that were dispatched, in order. */
const fakeWorkers = (startError?: (count: number) => Error | undefined) => {
  const texts: string[] = [];
  const open: { text: string; answer: Deferred<Embedding>; gone: Deferred<void> }[] = [];
  let started = 0;

  const start = (): TextWorker => {
    started++;
    const error = startError?.(started);
    const gone = deferred<void>();
    return {
      ready: error === undefined ? Promise.resolve() : Promise.reject(error),
      gone: gone.promise,
      embed: (text) => {
        texts.push(text);
        const answer = deferred<Embedding>();
        open.push({ text, answer, gone });
        return answer.promise;
      },
      close: async () => gone.resolve(undefined),
    };
  };

  /** The worker with the oldest text answers it, or crashes with all its texts. */
  const finish = async (how: 'answer' | 'crash' | Error = 'answer'): Promise<void> => {
    const { answer, gone, text } = open.shift() as (typeof open)[number];
    if (how === 'answer') answer.resolve(embedding(text.length));
    else if (how instanceof Error) answer.reject(how);
    else {
      const others = open.filter((other) => other.gone === gone);
      open.splice(0, open.length, ...open.filter((other) => other.gone !== gone));
      for (const lost of [answer, ...others.map((other) => other.answer)]) lost.reject(new WorkerDied('killed'));
      gone.resolve(undefined);
    }
    await settled();
  };

  const finishAll = async (): Promise<void> => {
    while (open.length > 0) await finish();
  };
  return {
    start,
    texts,
    finish,
    finishAll,
    started: () => started,
    at: () => open[0]?.text,
    holders: () => [...Map.groupBy(open, ({ gone }) => gone).values()].map((held) => held.map(({ text }) => text)),
    isDone: () => open.length === 0,
  };
};

describe('the dispatcher', () => {
  it('gives each worker its current and its next text only, and returns results in order', async () => {
    const workers = fakeWorkers();
    const answer = new Dispatcher(workers.start, 2).embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'], 'passage');
    await settled();
    expect(workers.texts).toEqual(['a', 'bb', 'ccc', 'dddd']);
    await workers.finishAll();
    expect((await answer).map(({ tokens }) => tokens)).toEqual([1, 2, 3, 4, 5]);
  });

  it('embeds background texts after the passages that wait, but at least every eighth', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    await dispatcher.warmUp();
    const all = [dispatcher.embed(['b1', 'b2', 'b3', 'b4'], 'background')];
    all.push(dispatcher.embed(['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8'], 'passage'));
    await settled();
    await workers.finishAll();
    await Promise.all(all);
    expect(workers.texts).toEqual(['b1', 'b2', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'b3', 'p8', 'b4']);
  });

  it('gives no worker a second text while another worker is being started', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 2);
    await dispatcher.warmUp();
    const answer = dispatcher.embed(['a', 'b'], 'passage');
    expect(workers.texts).toEqual(['a']);
    await settled();
    expect(workers.texts).toEqual(['a', 'b']);
    await workers.finishAll();
    await answer;
  });

  it('dispatches a query even if the worker has its maximum of passages', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    void dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    expect(workers.texts).toEqual(['a', 'b', 'query']);
    await workers.finishAll();
    await query;
  });

  it('starts one more worker, for queries only, when a query finds all workers busy with passages', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    void dispatcher.embed(['a', 'b', 'c', 'd'], 'passage');
    await settled();
    expect(workers.started()).toBe(1);
    const first = dispatcher.embed(['first query'], 'query');
    await settled();
    expect(workers.started()).toBe(2);
    const second = dispatcher.embed(['second query'], 'query');
    await settled();
    expect(workers.texts).toEqual(['a', 'b', 'first query', 'second query']);
    expect(workers.holders()).toEqual([['a', 'b', 'first query'], ['second query']]);
    await workers.finishAll();
    await Promise.all([first, second]);
    expect(workers.started()).toBe(2);
    await dispatcher.close();
  });

  it('starts the worker for queries during warm-up on request', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    await dispatcher.warmUp({ queries: true });
    await settled();
    expect(workers.started()).toBe(2);
    const passages = dispatcher.embed(['a', 'b', 'c'], 'passage');
    const query = dispatcher.embed(['query'], 'query');
    expect(workers.holders()).toEqual([['a', 'b'], ['query']]);
    await workers.finishAll();
    await Promise.all([passages, query]);
    expect(workers.started()).toBe(2);
  });

  it('serves queries with the other workers if the worker for queries cannot be started', async () => {
    const workers = fakeWorkers((count) => (count > 1 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(workers.start, 1);
    const passages = dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    await workers.finishAll();
    await expect(query).resolves.toHaveLength(1);
    await expect(passages).resolves.toHaveLength(3);
  });

  it('starts workers only when there is work for them', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 4);
    await dispatcher.warmUp();
    expect(workers.started()).toBe(1);
    void dispatcher.embed(['a'], 'passage');
    await settled();
    expect(workers.started()).toBe(1);
    void dispatcher.embed(['b', 'c', 'd', 'e', 'f', 'g'], 'passage');
    await settled();
    expect(workers.started()).toBe(4);
  });

  it('dispatches a query before five hundred waiting passages', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    void dispatcher.embed(
      Array.from({ length: 500 }, (_, i) => `passage ${i}`),
      'passage',
    );
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    await workers.finish();
    await workers.finish();
    await expect(query).resolves.toHaveLength(1);
    expect(workers.texts.slice(0, 3)).toEqual(['query', 'passage 0', 'passage 1']);
  });

  it('dispatches no more texts of an aborted call', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    const controller = new AbortController();
    const aborted = dispatcher.embed(['a', 'b', 'c'], 'passage', controller.signal);
    const kept = dispatcher.embed(['d'], 'passage');
    await settled();
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await workers.finishAll();
    await kept;
    expect(workers.texts).toEqual(['a', 'b', 'd']);
  });

  it('retries the texts of a crashed worker with another one, each alone and before all others', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    const answer = dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    expect(workers.texts.splice(0)).toEqual(['a', 'b']);
    await workers.finish('crash');
    expect(workers.texts).toHaveLength(1);
    await workers.finish();
    expect(workers.texts.toSorted()).toEqual(['a', 'b']);
    await workers.finishAll();
    await expect(answer).resolves.toHaveLength(3);
    expect(workers.texts[2]).toBe('c');
    expect(workers.started()).toBe(2);
  });

  it('fails only the text that crashed two workers', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    const poisoned = dispatcher.embed(['poison'], 'passage');
    const others = dispatcher.embed(['b', 'c'], 'passage');
    void poisoned.catch(() => undefined);
    await settled();
    while (!workers.isDone()) await workers.finish(workers.at() === 'poison' ? 'crash' : 'answer');
    await expect(poisoned).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(others).resolves.toHaveLength(2);
    expect(workers.started()).toBe(3);
  });

  it('fails only the call whose text cannot be embedded', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    const bad = dispatcher.embed(['a'], 'passage');
    const good = dispatcher.embed(['b'], 'passage');
    void bad.catch(() => undefined);
    await settled();
    await workers.finish(new Error('no such token'));
    await expect(bad).rejects.toThrow('no such token');
    await workers.finishAll();
    await expect(good).resolves.toHaveLength(1);
    expect(workers.started()).toBe(1);
  });

  it('fails waiting calls if no worker can be started, and retries for the next call', async () => {
    const workers = fakeWorkers((count) => (count <= 2 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(workers.start, 2);
    await expect(dispatcher.embed(['a', 'b'], 'passage')).rejects.toThrow('no memory');
    const later = dispatcher.embed(['c'], 'passage');
    await settled();
    await workers.finishAll();
    await expect(later).resolves.toHaveLength(1);
  });

  it('continues with its workers if no more can be started', async () => {
    const workers = fakeWorkers((count) => (count > 1 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(workers.start, 4);
    const answer = dispatcher.embed(['a', 'b', 'c', 'd', 'e'], 'passage');
    await settled();
    await workers.finishAll();
    await expect(answer).resolves.toHaveLength(5);
    // One that works, three that failed to start. Not every text causes another attempt.
    expect(workers.started()).toBe(4);
  });

  it('fails waiting and later calls when it is closed', async () => {
    const workers = fakeWorkers();
    const dispatcher = new Dispatcher(workers.start, 1);
    const waiting = dispatcher.embed(['a'], 'passage');
    void waiting.catch(() => undefined);
    await settled();
    await dispatcher.close();
    await expect(waiting).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(dispatcher.embed(['b'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
    await dispatcher.close();
  });
});
