import { DEFAULT_FOLDER, defaultDescription } from '../test/a-model-folder.ts';
import { Dispatcher } from './dispatcher.ts';
import { WorkerDied, type TextWorker } from './text-worker.ts';
import { startThreadTextWorker } from './thread-text-worker.ts';

const CRASHING = new URL('../test/crashing-worker.ts', import.meta.url);

const start = async (script = CRASHING): Promise<TextWorker> =>
  startThreadTextWorker({ folder: DEFAULT_FOLDER, description: await defaultDescription() }, script);

describe('a worker thread', () => {
  it('embeds texts sequentially', async () => {
    const worker = await start();
    await worker.ready;
    expect((await worker.embed('abc', 'query')).vector).toEqual(Float32Array.of(3));
    expect((await worker.embed('abcde', 'query')).vector).toEqual(Float32Array.of(5));
    await worker.close();
  });

  it('accepts texts while it is busy, and matches results to texts', async () => {
    const worker = await start();
    await worker.ready;
    const answers = await Promise.all(['abc', 'a', 'abcde'].map((text) => worker.embed(text, 'passage')));
    expect(answers.map(({ vector }) => vector[0])).toEqual([3, 1, 5]);
    await worker.close();
  });

  it('survives a text that cannot be embedded', async () => {
    const worker = await start();
    await worker.ready;
    await expect(worker.embed('fail', 'query')).rejects.toMatchObject({ code: 'Unavailable' });
    expect((await worker.embed('abc', 'query')).vector).toEqual(Float32Array.of(3));
    await worker.close();
  });

  it.each(['exit', 'throw'])('reports a crash by %s, and is gone', async (text) => {
    const worker = await start();
    await worker.ready;
    await expect(worker.embed(text, 'query')).rejects.toBeInstanceOf(WorkerDied);
    await worker.gone;
  });

  it('is never ready if its script cannot be run', async () => {
    const worker = await start(new URL('./no-such-worker.ts', import.meta.url));
    await expect(worker.ready).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('is replaced when it crashes, and the other texts are embedded', async () => {
    const model = { folder: DEFAULT_FOLDER, description: await defaultDescription() };
    const dispatcher = new Dispatcher(() => startThreadTextWorker(model, CRASHING), 1);
    const doomed = dispatcher.embed(['fine', 'throw'], 'passage');
    const others = dispatcher.embed(['ab', 'abc'], 'passage');
    await expect(doomed).rejects.toMatchObject({ code: 'Unavailable', retryable: true });
    expect((await others).map(({ vector }) => vector[0])).toEqual([2, 3]);
    await dispatcher.close();
  });
});
