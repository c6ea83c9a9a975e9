import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openBm25Index } from '@palimpsest/adapters-bm25';
import { openSqliteCatalog, type SqliteCatalog } from '@palimpsest/adapters-sqlite';
import { openScanVectorIndex } from '@palimpsest/adapters-vector-scan';
import type { Journal } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { CatalogView, ReadView } from '@palimpsest/knowledge/read-models';
import { KeptPastViews, type LiveSet, type ScratchSet } from '@palimpsest/projections';
import type { OnFault } from '@palimpsest/runtime';

/** A set has the size of the live read models of its tenant. */
const MAX_SETS = 4;
const MAX_BUILDING = { total: 8, tenant: 4 };
/** Of each index of a set: what is loaded beyond it is loaded again for each search. */
const CACHE_BYTES = 256 * 2 ** 20;
/** A request that waits occupies a permit. */
const WAIT_MS = 5_000;

/** `live`: the live set now, if its indexes are those of this process. */
type Options = Readonly<{ journal: Journal; keys: ScopeKeys; keepMs: number; onFault: OnFault; live?: () => LiveSet }>;

/** Views of earlier moments, below `root`. What an earlier process left there is deleted. */
export const openPastViews = (root: string, options: Options): Promise<KeptPastViews> => openSets(root, options, openSet);

/** Views of earlier moments for a process that has no indexes. */
export const openPastCatalogs = (root: string, options: Options): Promise<KeptPastViews<CatalogView>> =>
  openSets(root, options, openCatalogOnly);

type Closeable = Readonly<{ close: () => Promise<void> }>;
/** What is passed to it is closed with the set. */
type Keep = <Store extends Closeable>(store: Store) => Store;
type OpenSet<View extends CatalogView> = (
  folder: string,
  keep: Keep,
  options: Pick<Options, 'keys' | 'onFault'>,
) => Promise<Omit<ScratchSet<View>, 'discard'>>;

const openSets = async <View extends CatalogView>(
  root: string,
  { journal, keys, keepMs, onFault, live }: Options,
  open: OpenSet<View>,
): Promise<KeptPastViews<View>> => {
  await rm(root, { recursive: true, force: true });
  let last = 0;
  const openScratch = async (): Promise<ScratchSet<View>> => {
    last += 1;
    const folder = join(root, String(last));
    const opened: Closeable[] = [];
    const discard = async (): Promise<void> => {
      for (const store of opened.reverse()) await store.close();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return { ...(await open(folder, (store) => (opened.push(store), store), { keys, onFault })), discard };
    } catch (error) {
      await discard();
      throw error;
    }
  };
  return new KeptPastViews(
    { journal, keys, openScratch, ...(live ? { live } : {}) },
    {
      max: MAX_SETS,
      maxBuilding: MAX_BUILDING,
      waitMs: WAIT_MS,
      keepMs,
      onFault: (error, doing) => onFault(error, `${doing} the read models of an earlier moment`),
    },
  );
};

const openSet: OpenSet<ReadView> = async (folder, keep, { keys, onFault }) => {
  const catalog = keep(await openCatalog(folder, onFault));
  const of = { root: folder, keys, cacheBytes: CACHE_BYTES };
  const vectors = keep(await openScanVectorIndex({ ...of, onDamage: damaged('the vector index', folder, onFault) }));
  const lexical = keep(await openBm25Index({ ...of, onDamage: damaged('the word index', folder, onFault) }));
  return { catalog, vectors, lexical, view: (position) => ({ catalog, vectors, lexical, ...at(position) }) };
};

const openCatalogOnly: OpenSet<CatalogView> = async (folder, keep, { onFault }) => {
  const catalog = keep(await openCatalog(folder, onFault));
  return { catalog, view: (position) => ({ catalog, ...at(position) }) };
};

const openCatalog = (folder: string, onFault: OnFault): Promise<SqliteCatalog> =>
  openSqliteCatalog({
    file: join(folder, 'catalog.db'),
    onDamage: damaged('the catalog', folder, onFault),
    isTemporary: true,
    // Only this connection reads it.
    isServing: () => false,
  });

const damaged = (part: string, folder: string, onFault: OnFault) => (): void =>
  onFault(new Corrupt(`${part} ${folder} is damaged`), 'reading the read models of an earlier moment');

const at = (position: ReturnType<ReadView['position']>): Pick<ReadView, 'position' | 'serving'> => ({
  position: () => position,
  serving: () => true,
});
