import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openSqliteCatalog } from '@palimpsest/adapters-sqlite';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import type { Journal } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { KeptPastViews, type ScratchSet } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';

/** A view has the size of the live read models. */
const MAX_VIEWS = 2;

type Options = Readonly<{ journal: Journal; keys: ScopeKeys; keepMs: number; onFault: OnFault }>;

/** Views of earlier positions, below `root`. What an earlier process left there is deleted. */
export const openPastViews = async (root: string, { journal, keys, keepMs, onFault }: Options): Promise<KeptPastViews> => {
  await rm(root, { recursive: true, force: true });
  let last = 0;
  const openScratch = async (): Promise<ScratchSet> => {
    last += 1;
    const folder = join(root, String(last));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return openSet(folder, onFault);
  };
  return new KeptPastViews(
    { journal, keys, openScratch },
    { max: MAX_VIEWS, keepMs, onFault: (error) => onFault(error, 'deleting the view of an earlier position') },
  );
};

const openSet = async (folder: string, onFault: OnFault): Promise<ScratchSet> => {
  const damaged = (part: string) => (): void =>
    onFault(new Corrupt(`${part} ${folder} is damaged`), 'reading the view of an earlier position');
  const catalog = await openSqliteCatalog({ file: join(folder, 'catalog.db'), onDamage: damaged('the catalog') });
  const vectors = await openScanVectorIndex({ root: folder, onDamage: damaged('the vector index') });
  const lexical = await openBm25Index({ root: folder, onDamage: damaged('the word index') });
  const discard = async (): Promise<void> => {
    await lexical.close();
    await vectors.close();
    await catalog.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { catalog, vectors, lexical, discard };
};
