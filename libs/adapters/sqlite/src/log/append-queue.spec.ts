import { AppendQueue } from './append-queue.ts';
import type { AppendAnswer, EncodedAppend } from './log-calls.ts';

const append = (stream: string, lines = ''): EncodedAppend => ({ stream, expected: -1, ids: [], lines });
const conflict: AppendAnswer = { outcome: 'conflict', actual: 3 };

/** A writer whose flushes end when the test ends them. */
const createSlowWriter = () => {
  const groups: { streams: readonly string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const flush = (appends: readonly EncodedAppend[]): Promise<readonly AppendAnswer[]> =>
    new Promise((resolve, reject) => {
      groups.push({ streams: appends.map(({ stream }) => stream), finish: () => resolve(appends.map(() => conflict)), fail: reject });
    });
  return { groups, flush };
};

/** Waits enough turns of the event loop for a group to be sent. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

describe('AppendQueue', () => {
  it('sends all appends that arrive during a flush as the next group', async () => {
    const { groups, flush } = createSlowWriter();
    const queue = new AppendQueue(flush);
    const answers = [queue.add(append('a'))];
    await settle();
    answers.push(queue.add(append('b')), queue.add(append('c')));
    await settle();
    answers.push(queue.add(append('d')));
    await settle();
    expect(groups.map(({ streams }) => streams)).toEqual([['a']]);
    groups[0]?.finish();
    await settle();
    expect(groups.map(({ streams }) => streams)).toEqual([['a'], ['b', 'c', 'd']]);
    groups[1]?.finish();
    expect(await Promise.all(answers)).toEqual([conflict, conflict, conflict, conflict]);
  });

  it('resolves no append before the flush of its group has ended', async () => {
    const { groups, flush } = createSlowWriter();
    const queue = new AppendQueue(flush);
    let answered = false;
    const answer = queue.add(append('a')).then(() => (answered = true));
    await settle();
    expect(answered).toBe(false);
    groups[0]?.finish();
    await answer;
  });

  it('fails the appends of a failed group only', async () => {
    const { groups, flush } = createSlowWriter();
    const queue = new AppendQueue(flush);
    const failing = [queue.add(append('a')), queue.add(append('b'))].map((answer) => expect(answer).rejects.toThrow('disk full'));
    await settle();
    const next = queue.add(append('c'));
    groups[0]?.fail(new Error('disk full'));
    await Promise.all(failing);
    await settle();
    groups[1]?.finish();
    expect(await next).toEqual(conflict);
  });

  it('splits appends that exceed the size of one group, and accepts even the largest append', async () => {
    const { groups, flush } = createSlowWriter();
    const queue = new AppendQueue(flush);
    const large = 'x'.repeat(3 * 1024 * 1024);
    const answers = [append('a', large), append('b', large), append('c', large + large), append('d')].map((one) => queue.add(one));
    for (let group = 0; group < 4; group += 1) {
      await settle();
      groups[group]?.finish();
    }
    await Promise.all(answers);
    await queue.idle();
    expect(groups.map(({ streams }) => streams)).toEqual([['a'], ['b'], ['c'], ['d']]);
  });
});
