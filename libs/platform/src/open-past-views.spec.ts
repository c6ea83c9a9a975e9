import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '@palimpsest/adapters-sqlite';
import { Journal } from '@palimpsest/contracts';
import { describePastViews, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { openPastViews } from './open-past-views.ts';

const opened = async () => {
  const [root, keys, faults] = [await mkdtemp(join(tmpdir(), 'past-')), new InMemoryScopeKeys(), [] as unknown[]];
  const folder = join(root, 'past-views');
  await mkdir(join(folder, '7'), { recursive: true });
  await writeFile(join(folder, '7', 'catalog.db'), 'left by a killed process');
  const log = await openSqliteEventLog({ file: join(root, 'events.db') });
  const journal = new Journal(log, keys);
  const views = await openPastViews(folder, { journal, keys, keepMs: 60_000, onFault: (error) => faults.push(error) });
  const left = async () => (await readdir(folder).catch(() => [])).length;
  const dispose = async (): Promise<void> => {
    await views.close();
    await log.close();
    await rm(root, { recursive: true });
    expect(faults).toEqual([]);
  };
  return { journal, views, left, close: () => views.close(), dispose };
};

describePastViews('KeptPastViews on files', opened);

it('The folder of past views is emptied at the start', async () => {
  const { left, dispose } = await opened();
  expect(await left()).toBe(0);
  await dispose();
});
