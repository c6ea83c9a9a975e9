import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOSTILE_KINDS } from '../../../libs/adapters/documents/test/hostile/all-kinds.ts';

/** Has no common factor with the number of kinds: any stretch contains files of all sorts. */
const STRIDE = 167;

/**
 * The hostile files of the kinds that `choose` accepts, created beforehand and kept on disk, since creating some takes longer than refusing
 * them. `next` returns them in a cycle.
 */
export const hostileFiles = async (choose) => {
  const kinds = Object.values(HOSTILE_KINDS).flat().filter(choose);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-hostile-'));
  const files = [];
  for (const [index, kind] of kinds.entries()) {
    const { bytes, ...input } = await kind.make();
    const path = join(folder, String(index));
    writeFileSync(path, bytes);
    files.push({ name: kind.name, input, path });
  }
  let at = 0;
  return {
    count: files.length,
    taken: () => at,
    next: () => {
      const { input, path } = files[(at++ * STRIDE) % files.length];
      return { ...input, bytes: readFileSync(path) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
