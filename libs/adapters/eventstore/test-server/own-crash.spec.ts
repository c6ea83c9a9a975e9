import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServer } from '../test/a-server.ts';
import { closeLogs, collect, idsOf, openLog } from '../test/fixture.ts';

const SCRIPT = fileURLToPath(new URL('../test/append-until-killed.ts', import.meta.url));

/** The complete lines that the process wrote until it had acknowledged `enough` appends and was killed. */
const runUntilKilled = async (url: string, from: string, run: string, enough: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, ['--conditions=@palimpsest/source', SCRIPT, url, from, run], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.split('\nappended ').length > enough) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return text.split('\n').slice(0, -1);
};

describe('EventStoreLog, when the client process is killed', () => {
  afterEach(closeLogs);

  it('has everything that was acknowledged, and resumes following after what was delivered, without gaps or duplicates', async () => {
    const server = await startServer();
    const acknowledged: string[] = [];
    const delivered: string[] = [];
    let checkpoint = '0';
    for (const run of ['first', 'second', 'third']) {
      for (const line of await runUntilKilled(server.url, checkpoint, run, 150)) {
        const [word, first = '', ...ids] = line.split(' ');
        if (word === 'appended') acknowledged.push(first);
        if (word !== 'batch') continue;
        delivered.push(...ids.filter((id) => id !== ''));
        checkpoint = first;
      }
    }
    const log = await openLog({ connectionString: server.url });
    const all = idsOf(await collect(log.readAll()));
    expect(new Set(all).size).toBe(all.length);
    expect(acknowledged.filter((id) => !all.includes(id))).toEqual([]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(450);
    expect(delivered).toEqual(all.slice(0, delivered.length));
    expect(delivered.length).toBeGreaterThan(0);
    await log.close();
    await server.dispose();
  });
});
