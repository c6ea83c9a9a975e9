import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { openSqliteMessageBus } from './open-sqlite-message-bus.ts';

describe('the queue file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'palimpsest-file-'));
    file = join(folder, 'bus', 'queues.db');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('cannot be opened twice, and can be opened again after it was closed', async () => {
    const bus = await openSqliteMessageBus({ file });
    await expect(openSqliteMessageBus({ file })).rejects.toThrow(/in use by another process/);
    await bus.close();
    await (await openSqliteMessageBus({ file })).close();
  });

  it('is refused when it is damaged', async () => {
    const damaged = join(folder, 'damaged.db');
    await writeFile(damaged, 'no database at all '.repeat(100));
    await expect(openSqliteMessageBus({ file: damaged })).rejects.toThrow(Corrupt);
  });

  it.each(['PRAGMA user_version = 3', 'CREATE TABLE theirs (a)'])(
    'is refused when another application or version made it: %s',
    async (sql) => {
      const other = new DatabaseSync(join(folder, 'other.db'));
      other.exec(sql);
      other.close();
      await expect(openSqliteMessageBus({ file: join(folder, 'other.db') })).rejects.toThrow(/is not a queue file of version 1 to 2/);
    },
  );

  it('reports a file that cannot be created as Unavailable', async () => {
    await writeFile(join(folder, 'bus'), 'a file where a folder should be');
    await expect(openSqliteMessageBus({ file })).rejects.toThrow(Unavailable);
  });
});
