import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Message } from '@palimpsest/knowledge/ports';
import { note } from '@palimpsest/test-kit';
import type { BusCall } from './bus-operations.ts';
import { BusQueue } from './bus-queue.ts';
import { GroupCommit } from './group-commit.ts';
import { openQueueFile } from './queue-file.ts';

describe('GroupCommit', () => {
  let folder: string;
  let db: DatabaseSync;
  let commit: GroupCommit;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-commit-'));
    db = openQueueFile(join(folder, 'queues.db'));
    commit = new GroupCommit(db, new BusQueue(db), 'queues.db');
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const publish = (call: number, ...messages: readonly Message[]): BusCall => ({
    call,
    operation: 'publish',
    args: { topic: 't', messages, now: 0 },
  });
  const lag = (call: number): BusCall => ({ call, operation: 'lag', args: { topic: 't', group: 'g' } });
  const synchronous = (): unknown => db.prepare('PRAGMA synchronous').get()?.['synchronous'];

  it('answers every call, in order', () => {
    expect(commit.apply([publish(1, note('1')), lag(2), publish(3, note('2')), lag(4)])).toEqual([
      { call: 1, value: undefined },
      { call: 2, value: 1 },
      { call: 3, value: undefined },
      { call: 4, value: 2 },
    ]);
  });

  it('rolls back a failed call completely, and no other call', () => {
    const unfit = { ...note('2'), body: {} as string };
    const answers = commit.apply([publish(1, note('1')), publish(2, note('x'), unfit), publish(3, note('3')), lag(4)]);
    expect(answers.map((answer) => 'fault' in answer)).toEqual([false, true, false, false]);
    expect(answers[3]).toEqual({ call: 4, value: 2 });
  });

  it('leaves the queue unchanged when the disk is full, reports that, and works again when there is space', () => {
    commit.apply([publish(1, note('1'))]);
    const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
    db.exec(`PRAGMA max_page_count = ${pages}`);
    const large = { ...note('2'), body: JSON.stringify('x'.repeat(200_000)) };
    const [answer] = commit.apply([publish(2, large)]);
    expect(answer).toMatchObject({ fault: { kind: 'Unavailable', message: expect.stringContaining('full') } });
    expect(commit.apply([lag(3)])).toEqual([{ call: 3, value: 1 }]);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(commit.apply([publish(4, large), lag(5)])).toEqual([
      { call: 4, value: undefined },
      { call: 5, value: 2 },
    ]);
  });

  it('rewrites unflushed transactions after a failure, because a later flush may miss them and everything that follows', () => {
    const walBytes = (): number => statSync(join(folder, 'queues.db-wal')).size;
    commit.apply([publish(1, note('1'))]);
    db.exec(`PRAGMA max_page_count = ${Number(db.prepare('PRAGMA page_count').get()?.['page_count'])}`);
    expect(walBytes()).toBeGreaterThan(0);
    expect(commit.apply([publish(2, { ...note('2'), body: JSON.stringify('x'.repeat(200_000)) })])).toMatchObject([
      { fault: { kind: 'Unavailable' } },
    ]);
    expect(walBytes()).toBeGreaterThan(0);
    commit.apply([lag(3)]);
    expect(walBytes()).toBe(0);
  });

  it('limits the size of its write-ahead file', () => {
    for (let n = 0; n < 60; n++) commit.apply([publish(n, { ...note(String(n)), body: JSON.stringify('x'.repeat(100_000)) })]);
    expect(statSync(join(folder, 'queues.db-wal')).size).toBeLessThan(5 * 1024 * 1024);
    expect(statSync(join(folder, 'queues.db')).size).toBeGreaterThan(1024 * 1024);
  });

  it('flushes only the calls whose results must survive a power failure', () => {
    const [NORMAL, FULL] = [1, 2];
    commit.apply([lag(1)]);
    expect(synchronous()).toBe(NORMAL);
    commit.apply([lag(2), publish(3, note('1'))]);
    expect(synchronous()).toBe(FULL);
  });
});
