import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pause } from '@palimpsest/foundation';
import { openSqliteMessageBus } from './open-sqlite-message-bus.ts';
import { batchOf } from '../../test/bus-kill-plan.ts';

const CHILD = fileURLToPath(new URL('../../test/bus-child.ts', import.meta.url));

describe('SqliteMessageBus in a process that is killed', () => {
  let folder: string;
  let file: string;
  let notes: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-kill-'));
    file = join(folder, 'queues.db');
    notes = join(folder, 'handled.txt');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const start = (run: number): ChildProcess =>
    spawn(process.execPath, ['--conditions=@palimpsest/source', CHILD, file, notes, `${run}`], { stdio: ['ignore', 'pipe', 'inherit'] });

  /** Kills the child after it has acknowledged this many batches. Returns how many it acknowledged in total. */
  const killAfter = async (run: number, acknowledged: number): Promise<number> => {
    const child = start(run);
    const exited = once(child, 'exit');
    let acks = 0;
    for await (const line of linesOf(child)) {
      if (line.startsWith('ack')) acks += 1;
      if (acks === acknowledged) child.kill('SIGKILL');
    }
    await exited;
    return acks;
  };

  it('handles every acknowledged message at least once, each key in order, complete batches only', async () => {
    const published: number[] = [];
    for (const [run, acknowledged] of [1, 2, 23, 60].entries()) published.push(await killAfter(run, acknowledged));
    const bus = await openSqliteMessageBus({ file });
    await bus.consume({ topic: 't', group: 'g', batchSize: 4 }, async (batch) =>
      appendFileSync(notes, batch.map(({ key, id }) => `${key} ${id}\n`).join('')),
    );
    while ((await bus.lag('t', 'g')) > 0) await pause(5);
    expect(await bus.deadLetters()).toEqual([]);
    await bus.close();

    const handled = readFileSync(notes, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    const ids = new Set(handled.map(([, id]) => id));
    for (const [run, batches] of published.entries())
      for (let batch = 0; batch < batches; batch += 1) expect(batchOf(run, batch).filter(({ id }) => !ids.has(id))).toEqual([]);

    const batches = new Set([...ids].map((id) => id?.replace(/\.\d+$/, '')));
    expect(ids.size).toBe(batches.size * batchOf(0, 0).length);

    for (const key of new Set(handled.map(([one]) => one))) {
      // only the latest message can be repeated: the previous one was settled before this one was delivered
      const order = handled
        .filter(([one]) => one === key)
        .map(([, id]) => placeOf(id))
        .filter((place, i, all) => place !== all[i - 1]);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(new Set(order).size).toBe(order.length);
    }
  });

  it('is locked while another process has it open, and unlocked after that process was killed', async () => {
    const child = start(0);
    const lines = linesOf(child)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('open');
    await expect(openSqliteMessageBus({ file })).rejects.toThrow(/in use by another process/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await openSqliteMessageBus({ file })).close();
  });
});

const linesOf = (child: ChildProcess): AsyncIterable<string> => {
  if (child.stdout === null) throw new Error('the child has no stdout');
  return createInterface({ input: child.stdout });
};

const placeOf = (id = ''): number => id.split('.').reduce((place, part) => place * 10_000 + Number(part), 0);
