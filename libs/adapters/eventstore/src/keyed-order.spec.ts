import { KeyedOrder } from './keyed-order.ts';

describe('KeyedOrder', () => {
  it('runs the work of one key in order, also after a failure, and other keys concurrently', async () => {
    const order = new KeyedOrder();
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = order.run('a', async () => {
      await promise;
      done.push('a1');
      throw new Error('failed');
    });
    const second = order.run('a', async () => void done.push('a2'));
    await order.run('b', async () => void done.push('b1'));
    resolve();
    await expect(first).rejects.toThrow('failed');
    await second;
    await order.idle();
    expect(done).toEqual(['b1', 'a1', 'a2']);
  });
});
