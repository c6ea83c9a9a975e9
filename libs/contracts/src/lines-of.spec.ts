import fc from 'fast-check';
import { linesOf } from './lines-of.ts';

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) yield bytes.subarray(at, (at += size));
  yield bytes.subarray(at);
}

const all = async (lines: AsyncIterable<string>): Promise<readonly string[]> => {
  const found: string[] = [];
  for await (const line of lines) found.push(line);
  return found;
};

describe('lines of a stream', () => {
  it('are the same however the stream is split, even inside a character', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n'))),
        fc.array(fc.nat({ max: 9 })),
        fc.boolean(),
        async (lines, sizes, ended) => {
          const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''));
          expect(await all(linesOf(inPieces(bytes, sizes)))).toEqual(lines.filter((line) => line !== ''));
        },
      ),
    ));

  it('are rejected if one never ends', async () => {
    const endless = async function* () {
      for (;;) yield Buffer.alloc(1024 * 1024, 'x');
    };
    await expect(all(linesOf(endless()))).rejects.toThrow(/body: expected lines of at most 4194304 bytes/);
  });
});
