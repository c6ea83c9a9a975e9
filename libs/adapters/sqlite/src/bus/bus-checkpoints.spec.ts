import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { position, START } from '@palimpsest/knowledge/values';
import { describeCheckpoints } from '@palimpsest/test-kit';
import { openKillableBus, openSqliteMessageBus } from './open-sqlite-message-bus.ts';

/** Bytes; a frame holds one page of 4 KiB. */
const WAL_HEADER = 32;
const WAL_FRAME = 24 + 4_096;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-checkpoints-'));
  file = join(folder, 'bus', 'queues.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

describeCheckpoints('SqliteMessageBus', async () => {
  let bus = await openSqliteMessageBus({ file });
  return {
    checkpoints: bus.checkpoints,
    reopen: async () => {
      await bus.close();
      return (bus = await openSqliteMessageBus({ file })).checkpoints;
    },
    dispose: () => bus.close(),
  };
});

describe('checkpoints in the queue file', () => {
  it('never cover a message that was lost with the end of the write-ahead file', async () => {
    const { bus, kill } = await openKillableBus({ file });
    await bus.subscribe('t', 'g');
    for (let n = 1; n <= 4; n += 1) {
      await bus.publish('t', [{ id: `${n}`, key: `${n}`, headers: {}, body: '{}' }]);
      await bus.checkpoints.set('relay', position(String(n)));
    }
    const size = statSync(`${file}-wal`).size;
    cpSync(join(folder, 'bus'), join(folder, 'killed'), { recursive: true });
    await kill();

    const seen = new Set<bigint>();
    for (let left = WAL_HEADER; left <= size; left += WAL_FRAME) {
      const copy = join(folder, `copy-${left}`);
      cpSync(join(folder, 'killed'), copy, { recursive: true });
      truncateSync(join(copy, 'queues.db-wal'), left);
      const opened = await openSqliteMessageBus({ file: join(copy, 'queues.db') });
      const [reached, messages] = [await opened.checkpoints.get('relay'), await opened.lag('t', 'g').catch(() => 0)];
      await opened.close();
      expect(messages).toBeGreaterThanOrEqual(reached === START ? 0 : Number(reached));
      seen.add(reached);
    }
    expect(seen.size).toBe(5);
  });

  it('are refused when one was changed on disk', async () => {
    const bus = await openSqliteMessageBus({ file });
    await bus.checkpoints.set('relay', position('7'));
    await bus.close();
    const changed = new DatabaseSync(file);
    changed.exec("UPDATE checkpoints SET position = '9'");
    changed.close();
    await expect(openSqliteMessageBus({ file })).rejects.toThrow(Corrupt);
    await expect(openSqliteMessageBus({ file })).rejects.toThrow(/the checkpoint "relay" has a wrong checksum/);
  });

  /** What version 1 left: its tables, and the checkpoints in a second file. */
  const versionOne = async (): Promise<DatabaseSync> => {
    await (await openSqliteMessageBus({ file })).close();
    const queues = new DatabaseSync(file);
    queues.exec('DROP TABLE checkpoints; PRAGMA user_version = 1');
    queues.close();
    const earlier = new DatabaseSync(join(folder, 'bus', 'checkpoints.db'));
    earlier.exec('PRAGMA journal_mode = WAL; CREATE TABLE checkpoints (name TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID');
    return earlier;
  };

  it('are taken over from the file of version 1, which is deleted', async () => {
    const earlier = await versionOne();
    earlier.exec("INSERT INTO checkpoints VALUES ('relay', '7'), ('read-models', '18446744073709551614')");
    earlier.close();
    for (let start = 1; start <= 2; start += 1) {
      const bus = await openSqliteMessageBus({ file });
      expect(await bus.checkpoints.get('relay')).toBe(7n);
      expect(await bus.checkpoints.get('read-models')).toBe(18446744073709551614n);
      expect(existsSync(join(folder, 'bus', 'checkpoints.db'))).toBe(false);
      await bus.close();
    }
  });

  it('begin at the start when version 1 was killed before it created the table', async () => {
    const earlier = await versionOne();
    earlier.exec('DROP TABLE checkpoints');
    earlier.close();
    const bus = await openSqliteMessageBus({ file });
    expect(await bus.checkpoints.get('relay')).toBe(START);
    await bus.close();
  });

  it('are refused, and stay where they are, when the file of version 1 is damaged', async () => {
    const earlier = await versionOne();
    earlier.exec("INSERT INTO checkpoints VALUES ('relay', '7x')");
    earlier.close();
    for (let start = 1; start <= 2; start += 1) await expect(openSqliteMessageBus({ file })).rejects.toThrow(Corrupt);
    expect(readFileSync(join(folder, 'bus', 'checkpoints.db')).length).toBeGreaterThan(0);
  });
});
