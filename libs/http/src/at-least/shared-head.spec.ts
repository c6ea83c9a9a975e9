import { position, type Position } from '@palimpsest/knowledge/values';
import { SharedHead } from './shared-head.ts';

const aLog = (head: () => Promise<Position>) => {
  const log = { reads: 0, head: () => (log.reads++, head()) };
  return log;
};

describe('the head of the log', () => {
  it('is read once for any number of callers with positions beyond it', async () => {
    const log = aLog(async () => position('7'));
    const head = new SharedHead(log);
    const answers = await Promise.all(Array.from({ length: 200 }, () => head.covers(position('999'))));
    expect(new Set(answers)).toEqual(new Set([false]));
    expect(log.reads).toBe(1);
  });

  it('is not read again for positions that it is known to cover', async () => {
    const log = aLog(async () => position('7'));
    const head = new SharedHead(log);
    expect(await head.covers(position('7'))).toBe(true);
    expect(await head.covers(position('5'))).toBe(true);
    expect(log.reads).toBe(1);
  });

  it('is read again for a caller that arrives during a read, because it may have written since the read started', async () => {
    let end: Position = position('7');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const log = aLog(async () => {
      const seen = end;
      if (log.reads === 1) await held;
      return seen;
    });
    const head = new SharedHead(log);
    const first = head.covers(position('8'));
    while (log.reads === 0) await new Promise((resolve) => setImmediate(resolve));
    end = position('8');
    const second = head.covers(position('8'));
    release();
    expect([await first, await second]).toEqual([false, true]);
  });

  it('is read again after the log was unavailable', async () => {
    const log = aLog(async () => (log.reads === 1 ? Promise.reject(new Error('unavailable')) : position('7')));
    const head = new SharedHead(log);
    await expect(head.covers(position('3'))).rejects.toThrow('unavailable');
    await expect(head.covers(position('3'))).resolves.toBe(true);
  });
});
