import { KeyedOrder } from './keyed-order.ts';

describe('KeyedOrder', () => {
  it('runs what has one key in order, also after a failure, and other keys beside it', async () => {
    const order = new KeyedOrder();
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = order.run('a', async () => {
      await promise;
      told.push('a1');
      throw new Error('failed');
    });
    const second = order.run('a', async () => void told.push('a2'));
    await order.run('b', async () => void told.push('b1'));
    resolve();
    await expect(first).rejects.toThrow('failed');
    await second;
    await order.idle();
    expect(told).toEqual(['b1', 'a1', 'a2']);
  });
});
