import type { Submission } from '@palimpsest/client';
import { UploadQueue, type NamedFile, type Sending } from './upload-queue.ts';

type Sent = Readonly<{
  name: string;
  knowledgeBase: string;
  sending: Sending;
  answer: (submission: Submission) => void;
  fail: (error: Error) => void;
}>;

const named = (...names: string[]): NamedFile[] => names.map((name) => ({ name, file: new Blob(['text']) }));
const accepted = (sourceId: string): Submission => ({ status: 'accepted', sourceId, documentId: `d-${sourceId}`, version: 1 });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const aQueue = () => {
  const sent: Sent[] = [];
  const queue = new UploadQueue(
    ({ name }, knowledgeBase, sending) => new Promise((answer, fail) => void sent.push({ name, knowledgeBase, sending, answer, fail })),
  );
  const states = (): Record<string, string> => Object.fromEntries(queue.snapshot().map(({ name, state }) => [name, state.is]));
  return { queue, sent, states };
};

describe('an upload queue', () => {
  it('sends three files at a time, in order, and starts the next one after each response', async () => {
    const { queue, sent, states } = aQueue();
    queue.add(named('a', 'b', 'c', 'd', 'e'), 'default');
    await settled();
    expect(states()).toEqual({ a: 'sending', b: 'sending', c: 'sending', d: 'waiting', e: 'waiting' });
    sent[1]?.answer(accepted('b'));
    await settled();
    expect(states()).toEqual({ a: 'sending', b: 'answered', c: 'sending', d: 'sending', e: 'waiting' });
    expect(sent.map(({ name, knowledgeBase }) => `${knowledgeBase}/${name}`)).toEqual(['default/a', 'default/b', 'default/c', 'default/d']);
  });

  it('reports how much of a file was sent, and that the server asked to wait', async () => {
    const { queue, sent } = aQueue();
    queue.add(named('a'), 'default');
    await settled();
    sent[0]?.sending.onProgress(1, 4);
    expect(queue.snapshot()[0]?.state).toEqual({ is: 'sending', sent: 1, total: 4 });
    sent[0]?.sending.onBusy(5_000);
    expect(queue.snapshot()[0]?.state).toEqual({ is: 'busy', delayMs: 5_000 });
  });

  it('continues with the others when one is refused, which can be retried', async () => {
    const { queue, sent, states } = aQueue();
    queue.add(named('bad', 'good'), 'default');
    await settled();
    sent[0]?.fail(new Error('too large'));
    sent[1]?.answer(accepted('good'));
    await settled();
    expect(states()).toEqual({ bad: 'refused', good: 'answered' });
    const [bad] = queue.snapshot();
    queue.retry(bad?.id ?? 0);
    await settled();
    expect(states()).toEqual({ bad: 'sending', good: 'answered' });
    sent[2]?.answer(accepted('bad'));
    await settled();
    expect(states()['bad']).toBe('answered');
  });

  it('cancels uploads, whether or not they are being sent', async () => {
    const { queue, sent, states } = aQueue();
    queue.add(named('a', 'b', 'c', 'd'), 'default');
    await settled();
    queue.cancelAll();
    sent[0]?.fail(new Error('aborted'));
    await settled();
    expect(states()).toEqual({ a: 'cancelled', b: 'cancelled', c: 'cancelled', d: 'cancelled' });
    expect(sent.map(({ name, sending }) => [name, sending.signal.aborted])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
  });

  it('removes finished uploads from the list, and notifies its listeners of every change', async () => {
    const { queue, sent, states } = aQueue();
    let notified = 0;
    const leave = queue.subscribe(() => (notified += 1));
    queue.add(named('a', 'b'), 'default');
    await settled();
    sent[0]?.answer(accepted('a'));
    await settled();
    queue.clear();
    expect(states()).toEqual({ b: 'sending' });
    const before = notified;
    leave();
    queue.cancelAll();
    expect([before > 3, notified === before]).toEqual([true, true]);
  });
});
