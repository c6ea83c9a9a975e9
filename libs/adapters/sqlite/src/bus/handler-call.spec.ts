import { Unavailable } from '@palimpsest/knowledge/errors';
import { FakeClock } from '../../test/fake-clock.ts';
import type { LeasedBatch } from './bus-operations.ts';
import { HandlerCall, type CallContext } from './handler-call.ts';
import { consumeSettings } from '@palimpsest/contracts';

const message = { id: '1', key: 'k', headers: {}, body: '1', seq: 1, publishedAt: 0, failures: 0, lost: 0 };
const batch: LeasedBatch = { lease: 7, messages: [message] };

/** A worker with prepared answers, one per call; the last answer is repeated. */
class Answers {
  isGone = false;
  readonly calls: string[] = [];
  private readonly answers: unknown[];

  constructor(...answers: unknown[]) {
    this.answers = answers;
  }

  readonly call = (async (operation: string) => {
    this.calls.push(operation);
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  }) as CallContext['thread']['call'];
}

describe('HandlerCall', () => {
  const clock = new FakeClock();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const callWith = (thread: Answers, handler: CallContext['handler']): HandlerCall => {
    const settings = consumeSettings({ topic: 't', group: 'g', leaseMs: 1_200 });
    return new HandlerCall({ thread, clock, random: Math.random, topic: 't', group: 1, settings, handler }, batch);
  };

  it('retries a settlement when the queue file could not be written, and keeps the lease meanwhile', async () => {
    const thread = new Answers(new Unavailable('disk full'), true, true, 1);
    const call = callWith(thread, async () => undefined);
    const settled = call.settle(await call.run());
    await clock.pass(1_100, turn);
    expect(await settled).toBe(1);
    expect(thread.calls).toEqual(['settle', 'renew', 'renew', 'settle']);
    await clock.pass(1_000, turn);
    expect(thread.calls).toHaveLength(4);
  });

  it('stops retrying when the bus is closed', async () => {
    const thread = new Answers(new Unavailable('closed'));
    const call = callWith(thread, async () => undefined);
    thread.isGone = true;
    expect(await call.settle(await call.run())).toBe(0);
    expect(thread.calls).toEqual(['settle']);
  });

  it('aborts its handler when the lease is lost', async () => {
    const reasons: unknown[] = [];
    const call = callWith(
      new Answers(false),
      ([one]) =>
        new Promise((resolve) => {
          one?.signal.addEventListener('abort', () => resolve(void reasons.push(one.signal.reason)));
        }),
    );
    const run = call.run();
    await clock.pass(400, turn);
    await run;
    expect(String(reasons)).toContain('lease was lost');
  });

  it('renews its lease again after a failed renewal', async () => {
    const thread = new Answers(new Unavailable('disk full'), true);
    const call = callWith(thread, () => new Promise(() => undefined));
    void call.run();
    await clock.pass(900, turn);
    expect(thread.calls).toEqual(['renew', 'renew']);
  });
});
