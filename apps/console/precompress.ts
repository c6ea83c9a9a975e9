import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg)$/;
/** Smaller files are not compressed: the response headers would outweigh the savings. */
const MIN_BYTES = 512;

/** Writes a `.br` and a `.gz` next to each text file of the build, so that the server does not compress at run time. */
export const precompress = (): Plugin => ({
  name: 'palimpsest:precompress',
  apply: 'build',
  async writeBundle({ dir }) {
    if (dir === undefined) return;
    const files = (await readdir(dir, { recursive: true })).filter((name) => TEXT.test(name)).map((name) => join(dir, name));
    await Promise.all(files.map(compressed));
  },
});

const compressed = async (file: string): Promise<void> => {
  const text = await readFile(file);
  if (text.length < MIN_BYTES) return;
  const brotli = await promisify(brotliCompress)(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  });
  await writeFile(`${file}.br`, brotli);
  await writeFile(`${file}.gz`, await promisify(gzip)(text, { level: 9 }));
};
