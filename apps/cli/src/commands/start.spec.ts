import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Interrupted } from '../failure.ts';
import { readConfig } from '../config.ts';
import { openSession } from '../session.ts';
import { aFolder } from '../../test/run.ts';
import { settingsFrom, start } from './start.ts';

const silent = { write: () => true };
const session = (signal: AbortSignal, env: NodeJS.ProcessEnv = {}) =>
  openSession({ stdout: silent, stderr: silent, cwd: '/', config: readConfig({ ...env, PATH: '' }), signal }, {});

describe('palimpsest start', () => {
  it('converts its options into settings of the platform', () => {
    expect(settingsFrom({ port: 8080, host: '::1', data: '/data' })).toEqual({
      ...{ PALIMPSEST_PORT: '8080', PALIMPSEST_HOST: '::1', PALIMPSEST_DATA: '/data' },
    });
    expect(settingsFrom({})).toEqual({});
  });

  it("passes the settings to the platform's process and returns its exit code", async () => {
    const folder = await aFolder({
      'main.mjs': 'process.exit(process.env.PALIMPSEST_PORT === "8081" && process.env.KEEP === "1" ? 7 : 1)',
    });
    const code = await start(session(new AbortController().signal, { KEEP: '1' }), { port: 8081 }, join(folder.path, 'main.mjs'));
    await folder.remove();
    expect(code).toBe(7);
  });

  it('lets the platform shut down gracefully when it is interrupted', async () => {
    const folder = await aFolder({
      'main.mjs': `import { writeFileSync } from 'node:fs';
        process.on('SIGTERM', () => setTimeout(() => process.exit(5), 50));
        setInterval(() => {}, 1000);
        writeFileSync(new URL('ready', import.meta.url), '');`,
    });
    const abort = new AbortController();
    const running = start(session(abort.signal), {}, join(folder.path, 'main.mjs'));
    // Before it has set up its handler, a signal ends the child at once.
    while (!existsSync(join(folder.path, 'ready'))) await setTimeout(10);
    abort.abort(new Interrupted());
    const code = await running;
    await folder.remove();
    expect(code).toBe(5);
  });

  it('explains what to do when the platform is not built', () => {
    expect(() => start(session(new AbortController().signal), {}, '/nowhere/main.js')).toThrow('run `npm run setup`');
  });
});
