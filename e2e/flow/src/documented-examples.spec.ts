import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TOOLS = new URL('../../../tools/docs/examples/', import.meta.url);

type Compare = Readonly<{ fits: (shown: string, printed: string) => boolean; updated: (shown: string, printed: string) => string }>;
const compare = async (): Promise<Compare> => (await import(new URL('compare.mjs', TOOLS).href)) as Compare;

describe('the examples of README, guide and tutorial', () => {
  it('print what the documents show, run sequentially on a platform with its own documentation', async () => {
    const ran = promisify(execFile)(process.execPath, [fileURLToPath(new URL('run-examples.mjs', TOOLS))], { maxBuffer: 16 * 1024 * 1024 });
    const { stderr } = await ran.catch((error: unknown) => error as { stderr: string });
    expect(stderr.trim()).toBe('docs: the output of every example matches');
  }, 1_800_000);

  const SHOWN = '…\nrebuilt 26 documents, 131 chunks in 0.6 s, up to position 228\nembedding calls: 0\n';

  it('may differ in counts, times, positions, and lines that are left out', async () => {
    const { fits } = await compare();
    expect(fits(SHOWN, 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\n')).toBe(
      true,
    );
    expect(fits('Open http://127.0.0.1:7330/…\n', 'Open http://127.0.0.1:7330/#key=plk_abc\n')).toBe(true);
  });

  it.each([
    [
      'a number that is documented',
      'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 3\n',
    ],
    ['another word', 'rebuilding every index\nmade 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\n'],
    ['a missing line', 'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\n'],
    [
      'an additional line',
      'rebuilding every index\nrebuilt 9 documents, 12 chunks in 1.6 s, up to position 40\nembedding calls: 0\nmore\n',
    ],
  ])('may not differ in %s; the document is then updated with the actual output, and matches', async (_, printed) => {
    const { fits, updated } = await compare();
    expect(fits(SHOWN, printed)).toBe(false);
    expect(fits(updated(SHOWN, printed), printed)).toBe(true);
  });
});
