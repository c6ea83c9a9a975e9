import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TOOLS = new URL('../../../tools/docs/examples/', import.meta.url);

type Compare = Readonly<{ fits: (shown: string, printed: string) => boolean; updated: (shown: string, printed: string) => string }>;
const compare = async (): Promise<Compare> => (await import(new URL('compare.mjs', TOOLS).href)) as Compare;

describe('the examples of README, guide and tutorial', () => {
  it('print what the documents show, run one after the other on a platform with its own documentation', async () => {
    const ran = promisify(execFile)(process.execPath, [fileURLToPath(new URL('run-examples.mjs', TOOLS))], { maxBuffer: 16 * 1024 * 1024 });
    const { stderr } = await ran.catch((error: unknown) => error as { stderr: string });
    expect(stderr.trim()).toBe('docs: every example prints what is shown');
  }, 1_800_000);

  const SHOWN = '…\nrebuilt 26 documents, 131 chunks in 0.6 s, up to position 228\nembedding calls: 0\n';

  it('may differ in what varies: counts, times, positions, and lines that are left out', async () => {
    const { fits } = await compare();
    expect(fits(SHOWN, 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\n')).toBe(true);
    expect(fits('Open http://127.0.0.1:7330/…\n', 'Open http://127.0.0.1:7330/#key=plk_abc\n')).toBe(true);
  });

  it.each([
    ['another number that is said', 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 3\n'],
    ['another word', 'rebuilding every index\nmade 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\n'],
    ['a line that is missing', 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\n'],
    ['a line more', 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\nmore\n'],
  ])('may not differ in %s; then the document is changed to what was printed, and fits', async (_, printed) => {
    const { fits, updated } = await compare();
    expect(fits(SHOWN, printed)).toBe(false);
    expect(fits(updated(SHOWN, printed), printed)).toBe(true);
  });
});
