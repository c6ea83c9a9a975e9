import type { Embedding } from '@palimpsest/knowledge';

import { deferred, type Deferred } from './deferred.ts';
import { Dispatcher } from './dispatcher.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';

const embedding = (tokens: number): Embedding => ({ vector: Float32Array.of(1), tokens, truncated: false });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Workers that answer when they are told to. `texts` are all texts that were handed out, in order. */
const workshop = (startError?: (count: number) => Error | undefined) => {
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

  /** Lets the worker that has the oldest text answer it, or die over it and all that it has. */
  const finish = async (how: 'answer' | 'die' | Error = 'answer'): Promise<void> => {
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
  return { start, texts, finish, finishAll, started: () => started, at: () => open[0]?.text, holders: () => [...Map.groupBy(open, ({ gone }) => gone).values()].map((held) => held.map(({ text }) => text)), isDone: () => open.length === 0 };
};

describe('the dispatcher', () => {
  it('gives each worker one text and the next, no more, and answers in order', async () => {
    const shop = workshop();
    const answer = new Dispatcher(shop.start, 2).embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'], 'passage');
    await settled();
    expect(shop.texts).toEqual(['a', 'bb', 'ccc', 'dddd']);
    await shop.finishAll();
    expect((await answer).map(({ tokens }) => tokens)).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives no worker a second text while another is being started for it', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 2);
    await dispatcher.warmUp();
    const answer = dispatcher.embed(['a', 'b'], 'passage');
    expect(shop.texts).toEqual(['a']);
    await settled();
    expect(shop.texts).toEqual(['a', 'b']);
    await shop.finishAll();
    await answer;
  });

  it('hands a query on though the worker has its fill of passages', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    void dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    expect(shop.texts).toEqual(['a', 'b', 'query']);
    await shop.finishAll();
    await query;
  });

  it('has one more worker started when a query finds all of them at passages, which takes queries only', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    void dispatcher.embed(['a', 'b', 'c', 'd'], 'passage');
    await settled();
    expect(shop.started()).toBe(1);
    const first = dispatcher.embed(['first query'], 'query');
    await settled();
    expect(shop.started()).toBe(2);
    const second = dispatcher.embed(['second query'], 'query');
    await settled();
    expect(shop.texts).toEqual(['a', 'b', 'first query', 'second query']);
    expect(shop.holders()).toEqual([['a', 'b', 'first query'], ['second query']]);
    await shop.finishAll();
    await Promise.all([first, second]);
    expect(shop.started()).toBe(2);
    await dispatcher.close();
  });

  it('has the worker for queries ready from the start when it is told that there will be some', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    await dispatcher.warmUp({ queries: true });
    await settled();
    expect(shop.started()).toBe(2);
    const passages = dispatcher.embed(['a', 'b', 'c'], 'passage');
    const query = dispatcher.embed(['query'], 'query');
    expect(shop.holders()).toEqual([['a', 'b'], ['query']]);
    await shop.finishAll();
    await Promise.all([passages, query]);
    expect(shop.started()).toBe(2);
  });

  it('serves queries by the others when none can be started for them', async () => {
    const shop = workshop((count) => (count > 1 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(shop.start, 1);
    const passages = dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    await shop.finishAll();
    await expect(query).resolves.toHaveLength(1);
    await expect(passages).resolves.toHaveLength(3);
  });

  it('starts no more workers than there is work for', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 4);
    await dispatcher.warmUp();
    expect(shop.started()).toBe(1);
    void dispatcher.embed(['a'], 'passage');
    await settled();
    expect(shop.started()).toBe(1);
    void dispatcher.embed(['b', 'c', 'd', 'e', 'f', 'g'], 'passage');
    await settled();
    expect(shop.started()).toBe(4);
  });

  it('lets a query go before five hundred waiting passages', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    void dispatcher.embed(
      Array.from({ length: 500 }, (_, i) => `passage ${i}`),
      'passage',
    );
    const query = dispatcher.embed(['query'], 'query');
    await settled();
    await shop.finish();
    await shop.finish();
    await expect(query).resolves.toHaveLength(1);
    expect(shop.texts.slice(0, 3)).toEqual(['query', 'passage 0', 'passage 1']);
  });

  it('hands out no further text of a call that was aborted', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    const controller = new AbortController();
    const aborted = dispatcher.embed(['a', 'b', 'c'], 'passage', controller.signal);
    const kept = dispatcher.embed(['d'], 'passage');
    await settled();
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await shop.finishAll();
    await kept;
    expect(shop.texts).toEqual(['a', 'b', 'd']);
  });

  it('tries the texts of a dead worker once more with another one, each alone and before all else', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    const answer = dispatcher.embed(['a', 'b', 'c'], 'passage');
    await settled();
    expect(shop.texts.splice(0)).toEqual(['a', 'b']);
    await shop.finish('die');
    expect(shop.texts).toHaveLength(1);
    await shop.finish();
    expect(shop.texts.toSorted()).toEqual(['a', 'b']);
    await shop.finishAll();
    await expect(answer).resolves.toHaveLength(3);
    expect(shop.texts[2]).toBe('c');
    expect(shop.started()).toBe(2);
  });

  it('gives up a text that two workers died over, and no other that they had', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    const poisoned = dispatcher.embed(['poison'], 'passage');
    const others = dispatcher.embed(['b', 'c'], 'passage');
    void poisoned.catch(() => undefined);
    await settled();
    while (!shop.isDone()) await shop.finish(shop.at() === 'poison' ? 'die' : 'answer');
    await expect(poisoned).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(others).resolves.toHaveLength(2);
    expect(shop.started()).toBe(3);
  });

  it('fails only the call whose text cannot be embedded', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    const bad = dispatcher.embed(['a'], 'passage');
    const good = dispatcher.embed(['b'], 'passage');
    void bad.catch(() => undefined);
    await settled();
    await shop.finish(new Error('no such token'));
    await expect(bad).rejects.toThrow('no such token');
    await shop.finishAll();
    await expect(good).resolves.toHaveLength(1);
    expect(shop.started()).toBe(1);
  });

  it('fails what waits when no worker can be started, and tries again for the next call', async () => {
    const shop = workshop((count) => (count <= 2 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(shop.start, 2);
    await expect(dispatcher.embed(['a', 'b'], 'passage')).rejects.toThrow('no memory');
    const later = dispatcher.embed(['c'], 'passage');
    await settled();
    await shop.finishAll();
    await expect(later).resolves.toHaveLength(1);
  });

  it('goes on with the workers that it has when no more can be started', async () => {
    const shop = workshop((count) => (count > 1 ? new Error('no memory') : undefined));
    const dispatcher = new Dispatcher(shop.start, 4);
    const answer = dispatcher.embed(['a', 'b', 'c', 'd', 'e'], 'passage');
    await settled();
    await shop.finishAll();
    await expect(answer).resolves.toHaveLength(5);
    // One that works, three that failed at once; no further attempt with every text.
    expect(shop.started()).toBe(4);
  });

  it('refuses what waits when it is closed, and all that comes after', async () => {
    const shop = workshop();
    const dispatcher = new Dispatcher(shop.start, 1);
    const waiting = dispatcher.embed(['a'], 'passage');
    void waiting.catch(() => undefined);
    await settled();
    await dispatcher.close();
    await expect(waiting).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(dispatcher.embed(['b'], 'passage')).rejects.toMatchObject({ code: 'Unavailable' });
    await dispatcher.close();
  });
});
