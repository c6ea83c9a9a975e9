import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../test/embed-once.ts', import.meta.url));

/** Runs the program in an empty home folder. Returns its exit code and every file that it left. */
const filesLeftBy = async (program: string): Promise<{ code: number; files: string[] }> => {
  const home = await mkdtemp(join(tmpdir(), 'palimpsest-home-'));
  try {
    const env = { HOME: home, TMPDIR: home, PATH: process.env['PATH'] };
    const child = spawn(process.execPath, ['--conditions=@palimpsest/source', program], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const [code] = (await once(child, 'exit')) as [number];
    return { code, files: await readdir(home, { recursive: true }) };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

describe('onnxruntime', () => {
  it('keeps no telemetry, device id or log on this machine', async () => {
    expect(await filesLeftBy(PROGRAM)).toEqual({ code: 0, files: [] });
  });
});
