import { ahead } from './ahead.ts';

/** Work that a test completes by hand. */
const byHand = () => {
  const started: number[] = [];
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  const work = (item: number): Promise<string> => {
    started.push(item);
    const one = Promise.withResolvers<string>();
    waiting.set(item, one);
    return one.promise;
  };
  return {
    started,
    work,
    done: (item: number) => waiting.get(item)?.resolve(`${item}`),
    failed: (item: number) => waiting.get(item)?.reject(new Error(`${item}`)),
  };
};

const allOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('work ahead', () => {
  it('gives the results in order, whatever ends first, and starts no more than its width', async () => {
    const { started, work, done } = byHand();
    const all = allOf(ahead([1, 2, 3, 4, 5], 3, work));
    await settled();
    expect(started).toEqual([1, 2, 3]);
    done(3);
    done(2);
    await settled();
    expect(started).toEqual([1, 2, 3]);
    done(1);
    await settled();
    expect(started).toEqual([1, 2, 3, 4, 5]);
    done(5);
    done(4);
    expect(await all).toEqual(['1', '2', '3', '4', '5']);
  });

  it('throws a failure when its turn comes, after the results before it', async () => {
    const { work, done, failed } = byHand();
    const results: string[] = [];
    const all = (async () => {
      for await (const result of ahead([1, 2, 3], 3, work)) results.push(result);
    })();
    await settled();
    failed(2);
    failed(3);
    await settled();
    done(1);
    await expect(all).rejects.toThrow('2');
    expect(results).toEqual(['1']);
  });

  it('takes items from an asynchronous source, one at a time with a width of 1', async () => {
    const source = async function* () {
      yield 1;
      yield 2;
    };
    expect(await allOf(ahead(source(), 1, async (item) => item * 2))).toEqual([2, 4]);
    expect(await allOf(ahead([], 3, async (item) => item))).toEqual([]);
  });

  it('leaves no failure unhandled if its reader stops', async () => {
    for await (const result of ahead([1, 2, 3], 3, async (item) => (item > 1 ? Promise.reject(new Error('later')) : item))) {
      expect(result).toBe(1);
      break;
    }
    await settled();
  });
});
