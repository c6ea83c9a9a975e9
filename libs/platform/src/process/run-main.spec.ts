import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROGRAM = `
  import { runMain } from '${new URL('./run-main.ts', import.meta.url).href}';
  const work = setInterval(() => {}, 1_000);
  await runMain({
    name: 'example',
    config: () => ({ logLevel: undefined }),
    starting: () => 'starting',
    start: async () => ({ url: 'http://here', stop: async () => clearInterval(work) }),
  });
`;

describe('a process', () => {
  it('shuts down gracefully when its output is no longer read', async () => {
    const child = spawn(process.execPath, ['--conditions=@palimpsest/source', '--input-type=module', '--eval', PROGRAM], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.stdout.setEncoding('utf8');
    for await (const text of child.stdout.iterator({ destroyOnReturn: false })) if ((output += text).includes('listens on')) break;
    child.stdout.destroy();
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
});
