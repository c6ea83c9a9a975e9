import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ByteSearch, searchFolder, textProbes, vectorProbes } from './byte-search.ts';

const BLOCK = 2 ** 18;

describe('The search for bytes in files', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'byte-search-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('finds a text as UTF-8 and as UTF-16, and any 64 bytes of a vector, with the files below the folder', async () => {
    const vector = Float32Array.from({ length: 40 }, (_, n) => Math.sin(n));
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'utf8'), '…a hidden line…');
    await writeFile(join(folder, 'a', 'b', 'utf16'), Buffer.from('a hidden line', 'utf16le'));
    await writeFile(join(folder, 'vector'), Buffer.from(vector.buffer).subarray(60, 130));
    await writeFile(join(folder, 'left out'), 'a hidden line');
    const probes = [...textProbes('line', 'a hidden line'), ...textProbes('other', 'another line'), ...vectorProbes('vector', vector)];
    const { files, found } = await searchFolder(folder, probes, { isLeftOut: (path) => path === 'left out' });
    expect(files).toBe(3);
    expect(Object.fromEntries([...found].map(([name, paths]) => [name, [...paths].sort()]))).toEqual({
      line: [join('a', 'b', 'utf16'), join('a', 'utf8')],
      vector: ['vector'],
    });
  });

  it('finds bytes at any offset, also across the blocks in which a file is read', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 8, maxLength: 80 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: -90, max: 90 }),
        async (all, shift) => {
          const file = join(folder, 'file');
          const at = Math.max(0, BLOCK + shift);
          await writeFile(file, Buffer.concat([Buffer.alloc(at, 1), ...all]));
          const { found, size } = await new ByteSearch(all.map((bytes, n) => ({ name: String(n), bytes }))).inFile(file);
          expect(found.size).toBe(all.length);
          expect(size).toBe(at + all.reduce((sum, { length }) => sum + length, 0));
        },
      ),
      { numRuns: 30 },
    ));

  it('refuses a probe that is too short, and ends with its signal', async () => {
    expect(() => new ByteSearch(textProbes('short', 'short'))).toThrow(RangeError);
    await writeFile(join(folder, 'file'), 'a file');
    await expect(searchFolder(folder, [], { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
