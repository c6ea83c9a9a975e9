import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COSTS, FolderUnderTest, removed, temporaryFolder } from '../test/a-folder.ts';
import { backUp } from './back-up.ts';
import { checkBackup } from './check-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { passphrase } from './sealed/secret.ts';

const CHILD = fileURLToPath(new URL('../test/kill-child.ts', import.meta.url));
const SECRET = passphrase('correct horse battery');
const ROUNDS = 8;

/** Runs the child and kills it at its n-th step. Returns the number of completed steps, and whether the child finished. */
const run = async (args: readonly string[], killAt: number): Promise<Readonly<{ steps: number; ended: boolean }>> => {
  const child = spawn(process.execPath, ['--conditions=@palimpsest/source', CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let steps = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    steps += text.split('\n').length - 1;
    if (steps >= killAt) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the child ended with ${code}`);
  return { steps, ended: code === 0 };
};

describe('killed', () => {
  let root: string;
  const at = (name: string): string => join(root, name);

  beforeAll(async () => {
    root = await temporaryFolder();
    const folder = await FolderUnderTest.open(at('data'));
    for (let i = 0; i < 12; i += 1) await folder.submit(`d${i}`, { size: 200_000, chunks: 20 });
    await folder.close();
  });
  afterAll(() => removed(root));

  it('in the middle of a backup, leaves nothing that looks like a backup, and the next one works', async () => {
    const { steps } = await run(['backup', at('data'), at('whole.backup')], Infinity);
    let kills = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { ended } = await run(['backup', at('data'), at('killed.backup')], Math.ceil((round * steps) / (ROUNDS + 1)));
      const names = await readdir(root);
      if (ended) {
        await checkBackup(at('killed.backup'), SECRET);
        await removed(at('killed.backup'));
        continue;
      }
      kills += 1;
      // The file gets its name last, so it either does not exist or is complete.
      if (names.includes('killed.backup')) await checkBackup(at('killed.backup'), SECRET);
      expect(names.filter((name) => !name.startsWith('.') && !['data', 'whole.backup', 'killed.backup'].includes(name))).toEqual([]);
      await removed(at('killed.backup'));
      await backUp({ data: at('data'), target: at('killed.backup'), secret: SECRET, by: 'test', costs: COSTS });
      expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual([]);
      await removed(at('killed.backup'));
    }
    expect(kills).toBeGreaterThan(ROUNDS / 2);
  });

  it('in the middle of a restore, leaves no folder or a complete one, and can be repeated', async () => {
    await removed(at('whole.backup'));
    const { manifest } = await backUp({ data: at('data'), target: at('whole.backup'), secret: SECRET, by: 'test', costs: COSTS });
    const { steps } = await run(['restore', at('restored'), at('whole.backup')], Infinity);
    let kills = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      await removed(at('restored'));
      const { ended } = await run(['restore', at('restored'), at('whole.backup')], Math.ceil((round * steps) / (ROUNDS + 1)));
      if (!ended) kills += 1;
      if (!(await readdir(root)).includes('restored'))
        expect(await restoreBackup({ file: at('whole.backup'), data: at('restored'), secret: SECRET })).toEqual(manifest);
      expect((await readdir(root)).filter((name) => name.startsWith('.'))).toEqual([]);
      const folder = await FolderUnderTest.open(at('restored'));
      expect(await folder.events()).toHaveLength(manifest.parts.events.items);
      await folder.close();
    }
    expect(kills).toBeGreaterThan(ROUNDS / 2);
  });
});
