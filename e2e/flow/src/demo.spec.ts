import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const DEMO = fileURLToPath(new URL('../../../tools/demo/time.mjs', import.meta.url));

describe('npm run demo:time', () => {
  it('plays a replay, a swap, a search in the past and an erasure, and all that it says holds', async () => {
    const env = { ...process.env, FORCE_COLOR: '0' };
    const { stdout } = await promisify(execFile)(process.execPath, [DEMO], { env, maxBuffer: 16 * 1024 * 1024 }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout.split('\n').filter((line) => line.includes('not so'))).toEqual([]);
    const [, held, all] = /^(\d+) of (\d+) expectations held/m.exec(stdout) ?? [];
    expect(Number(all)).toBeGreaterThan(0);
    expect(held).toBe(all);
  }, 600_000);
});
