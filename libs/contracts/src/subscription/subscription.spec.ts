import { pause } from '@palimpsest/foundation';
import { position, START, type Position } from '@palimpsest/knowledge/values';
import { eachBatch, Subscription, type LogBatch, type Subscriber } from './subscription.ts';

type Batch = LogBatch & Readonly<{ n: number }>;
const at = (n: number): Position => position(BigInt(n));

/** A log of numbers; each is one batch. `fails`: reading that number fails. */
class Numbers {
  last = 0;
  readonly fails = new Set<number>();
  #appended: () => void = () => undefined;

  append(): void {
    this.last++;
    this.#appended();
  }

  async *follow(after: Position, signal: AbortSignal): AsyncGenerator<Batch> {
    signal.addEventListener('abort', () => this.#appended());
    for (let n = Number(after); !signal.aborted;) {
      if (n === this.last) {
        yield { n, upTo: at(n), caughtUp: true };
        if (!signal.aborted && n === this.last) await new Promise<void>((resolve) => (this.#appended = resolve));
        continue;
      }
      n++;
      if (this.fails.has(n)) throw new Error(`${n} cannot be read`);
      yield { n, upTo: at(n), caughtUp: n === this.last };
    }
  }
}

const follow = (numbers: Numbers, over: Partial<Subscriber<Batch>> = {}) => {
  const [seen, errors, begun]: [number[], unknown[], (Position | undefined)[]] = [[], [], []];
  const subscription = new Subscription<Batch>(
    {
      begin: (reached) => {
        begun.push(reached);
        return reached ?? START;
      },
      follow: (after, signal) => numbers.follow(after, signal),
      run: eachBatch(({ n }) => {
        if (seen.at(-1) !== n && n > 0) seen.push(n);
      }),
      onError: (error) => errors.push(error),
      ...over,
    },
    { retryMs: 1 },
  );
  return { subscription, seen, errors, begun };
};

const withNumbers = (count: number): Numbers => {
  const numbers = new Numbers();
  for (let i = 0; i < count; i++) numbers.append();
  return numbers;
};

describe('A subscription', () => {
  it('delivers what is on the log and what follows, and reports its position', async () => {
    const numbers = withNumbers(3);
    const { subscription, seen } = follow(numbers);
    expect(subscription.position()).toBe(START);
    subscription.start();
    expect(await subscription.reached(at(3))).toBe(true);
    const waiting = subscription.reached(at(4));
    numbers.append();
    expect(await waiting).toBe(true);
    expect([seen, subscription.position(), subscription.failure()]).toEqual([[1, 2, 3, 4], at(4), undefined]);
    await subscription.stop();
  });

  it('lets a caller wait for a position until a timeout, a signal, or the end', async () => {
    const { subscription } = follow(withNumbers(1));
    subscription.start();
    expect(await subscription.reached(at(9), 5)).toBe(false);
    expect(await subscription.reached(at(9), undefined, AbortSignal.abort())).toBe(false);
    const waiting = subscription.reached(at(9));
    await subscription.stop();
    expect([await waiting, await subscription.reached(at(9)), await subscription.reached(at(1))]).toEqual([false, false, true]);
  });

  it('continues after a failure where it was, reports the failure, and forgets it with the next batch', async () => {
    const numbers = withNumbers(3);
    numbers.fails.add(2);
    const { subscription, seen, errors, begun } = follow(numbers);
    subscription.start();
    while (errors.length < 2) await pause(1);
    expect([seen, String(subscription.failure()), subscription.position()]).toEqual([[1], 'Error: 2 cannot be read', at(1)]);
    numbers.fails.clear();
    expect(await subscription.reached(at(3))).toBe(true);
    expect([seen, subscription.failure(), begun.slice(0, 2)]).toEqual([[1, 2, 3], undefined, [undefined, at(1)]]);
    await subscription.stop();
  });

  it('repeats a batch that was not handled', async () => {
    const handled: number[] = [];
    let broken = true;
    const { subscription } = follow(withNumbers(2), {
      run: eachBatch(({ n }) => {
        if (n === 2 && broken) throw new Error('no space left');
        handled.push(n);
      }),
    });
    subscription.start();
    while (subscription.failure() === undefined) await pause(1);
    broken = false;
    expect(await subscription.reached(at(2))).toBe(true);
    expect(handled.filter((n) => n > 1)).toEqual([2]);
    await subscription.stop();
  });

  it('pauses for other work and goes on after it, or where the work says', async () => {
    const numbers = withNumbers(2);
    const { subscription, seen, begun } = follow(numbers);
    subscription.start();
    await subscription.reached(at(2));
    await subscription.whilePaused(async () => {
      numbers.append();
      await pause(5);
      expect(seen).toEqual([1, 2]);
    });
    await subscription.reached(at(3));
    expect(begun).toEqual([undefined, at(2)]);
    await subscription.whilePaused(async () => subscription.restart(at(1)));
    expect(await subscription.reached(at(3))).toBe(true);
    expect([seen, begun.at(-1)]).toEqual([[1, 2, 3, 2, 3], at(1)]);
    await subscription.whilePaused(async () => subscription.restart());
    await subscription.reached(at(3));
    expect(begun.at(-1)).toBeUndefined();
    await subscription.stop();
  });

  it('can start by catching up: the first failure is thrown, and nothing runs after it', async () => {
    const numbers = withNumbers(3);
    const { subscription, seen, errors } = follow(numbers);
    await subscription.startUpTo(at(3));
    expect(seen).toEqual([1, 2, 3]);
    await subscription.stop();
    numbers.fails.add(2);
    const failing = follow(numbers);
    await expect(failing.subscription.startUpTo(at(3))).rejects.toThrow('2 cannot be read');
    const before = failing.errors.length;
    await pause(10);
    expect([failing.errors.length, failing.seen, errors]).toEqual([before, [1], []]);
  });

  it('can run once, without repeating', async () => {
    const numbers = withNumbers(2);
    numbers.fails.add(2);
    const { subscription, seen, errors } = follow(numbers);
    await expect(subscription.run(new AbortController().signal)).rejects.toThrow('2 cannot be read');
    expect([seen, errors]).toEqual([[1], []]);
  });
});
