import { aFolder, run } from '../../test/run.ts';
import { readConfig } from '../config.ts';
import { openSession } from '../session.ts';
import { bench } from './bench.ts';

const SCRIPT =
  '/**\n * How fast is it,\n * really? About a minute.\n */\nconsole.log(process.argv.slice(2).join(" "));\nprocess.exit(3);\n';

describe('palimpsest bench', () => {
  it('lists the benchmarks of the clone, with what each measures', async () => {
    const { benchmarks } = JSON.parse((await run(['bench', '--json'])).out) as {
      benchmarks: readonly { name: string; measures: string }[];
    };
    expect(benchmarks.map(({ name }) => name)).toEqual(expect.arrayContaining(['event-log', 'platform', 'ready', 'vectors']));
    expect(benchmarks.filter(({ measures }) => measures.length < 20)).toEqual([]);
  });

  it('lists the known benchmarks when the name is unknown', async () => {
    const { code, err } = await run(['bench', 'speed']);
    expect(code).toBe(2);
    expect(err).toMatch(/unknown benchmark "speed": must be one of .*platform/);
  });

  it("passes on its options, and the benchmark's output and exit code", async () => {
    const { path, remove } = await aFolder({ 'one.mjs': SCRIPT });
    let out = '';
    const sink = { write: (text: string) => (out += text) };
    const session = openSession(
      { stdout: sink, stderr: sink, cwd: path, config: readConfig({}), signal: new AbortController().signal },
      {},
    );
    expect(await bench(session, path, undefined, [])).toBe(0);
    expect(out).toBe('one          How fast is it, really?\n');
    out = '';
    expect(await bench(session, path, 'one', ['--rows', '5'])).toBe(3);
    expect(out).toBe('--rows 5\n');
    await remove();
  });
});
