import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { Exchangeable, type SetAlongside } from '@palimpsest/projections';

type Closable = Readonly<{ close: () => Promise<void> }>;
type Stores = Readonly<{
  /** `commit` completes its transaction; `discard` closes it without making its files durable, because they are deleted next. */
  catalog: SetAlongside['catalog'] & Readonly<{ commit: () => Promise<void>; discard: () => Promise<void> }>;
  vectors: SetAlongside['vectors'] & Closable;
  lexical: SetAlongside['lexical'] & Closable;
}>;
/** `number`: 0 for the set that is directly in the root. */
type OpenSet<S extends Stores> = Readonly<{ number: number; stores: S }>;

/** `onError` is called when a previous set cannot be deleted. `isOwn`: what is part of a set that is directly in the root; by default everything. */
type SetOptions = Readonly<{ onError: (error: unknown) => void; isOwn?: (entry: string) => boolean }>;

/** Opens a set in a folder. `isCurrent`: whether the process uses it now. */
export type OpenStores<S extends Stores> = (folder: string, isCurrent: () => boolean) => Promise<S>;

/** Names the folder of the current set. Without it, the current set is directly in the root. */
const POINTER = 'current';
const TEMPORARY = `${POINTER}.tmp`;
/** No folder of a tenant begins with "=". */
const NAME = /^=rebuilt-(\d+)$/;
const ANYTHING = (): boolean => true;

/**
 * The read models in a data folder: one set is current, and a second one can be built next to it and take its place. A kill at any time
 * leaves one complete set; what is left of the other is deleted at the next start.
 */
export class ReadModelSets<S extends Stores> {
  readonly catalog: S['catalog'];
  readonly vectors: S['vectors'];
  readonly lexical: S['lexical'];
  readonly #root: string;
  readonly #openStores: OpenStores<S>;
  readonly #onError: (error: unknown) => void;
  readonly #isOwn: (entry: string) => boolean;
  readonly #exchangeable: Readonly<{ [Name in keyof Stores]: Exchangeable<S[Name]> }>;
  #current: OpenSet<S>;
  /** The current set, one being built, and previous ones that are still read. */
  readonly #open = new Set<OpenSet<S>>();
  #closed = false;

  private constructor(root: string, openStores: OpenStores<S>, { onError, isOwn = ANYTHING }: SetOptions, first: OpenSet<S>) {
    this.#root = root;
    this.#openStores = openStores;
    this.#onError = onError;
    this.#isOwn = isOwn;
    this.#current = first;
    this.#open.add(first);
    const { catalog, vectors, lexical } = first.stores;
    this.#exchangeable = { catalog: new Exchangeable(catalog), vectors: new Exchangeable(vectors), lexical: new Exchangeable(lexical) };
    this.catalog = this.#exchangeable.catalog.port;
    this.vectors = this.#exchangeable.vectors.port;
    this.lexical = this.#exchangeable.lexical.port;
  }

  /** Opens the current set below `root`. */
  static async open<S extends Stores>(root: string, openStores: OpenStores<S>, options: SetOptions): Promise<ReadModelSets<S>> {
    const { onError, isOwn = ANYTHING } = options;
    const number = await currentNumber(root);
    const isLeft = (entry: string): boolean => isOfSets(entry) || isOwn(entry);
    const isKept = (entry: string): boolean => isOf(entry, number, isOwn) || (entry === POINTER && number > 0);
    await remove(root, (entry) => isLeft(entry) && !isKept(entry)).catch(onError);
    let isCurrent = (): boolean => true;
    const sets = new ReadModelSets(root, openStores, options, {
      number,
      stores: await openStores(folderOf(root, number), () => isCurrent()),
    });
    isCurrent = () => sets.#current.number === number;
    return sets;
  }

  get current(): S {
    return this.#current.stores;
  }

  /** Opens an empty second set. Only one at a time. @throws Unavailable when it cannot be created, or the sets are closed */
  async alongside(): Promise<SetAlongside> {
    const number = this.#current.number + 1;
    const folder = folderOf(this.#root, number);
    await storage(`creating ${folder}`, async () => {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await syncFolder(this.#root);
    });
    const set: OpenSet<S> = { number, stores: await this.#openStores(folder, () => this.#current.number === number) };
    this.#open.add(set);
    if (this.#closed) await this.#close(set);
    return { ...set.stores, exchange: () => this.#exchange(set), discard: () => this.#delete(set) };
  }

  /** Closes every open set. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const set of [...this.#open]) await this.#close(set);
  }

  async #exchange(set: OpenSet<S>): Promise<void> {
    await set.stores.catalog.commit();
    await storage(`switching the read models in ${this.#root}`, () => writePointer(this.#root, set.number));
    const previous = this.#current;
    this.#current = set;
    const { catalog, vectors, lexical } = this.#exchangeable;
    const unused = Promise.all([
      catalog.exchange(set.stores.catalog),
      vectors.exchange(set.stores.vectors),
      lexical.exchange(set.stores.lexical),
    ]);
    void unused.then(() => this.#delete(previous)).catch(this.#onError);
  }

  async #delete(set: OpenSet<S>): Promise<void> {
    await this.#close(set, () => (this.#closed ? set.stores.catalog.close() : set.stores.catalog.discard()));
    if (!this.#closed) await remove(this.#root, (entry) => isOf(entry, set.number, this.#isOwn));
  }

  async #close(set: OpenSet<S>, closeCatalog = () => set.stores.catalog.close()): Promise<void> {
    if (!this.#open.delete(set)) return;
    await set.stores.lexical.close();
    await set.stores.vectors.close();
    await closeCatalog();
  }
}

const folderOf = (root: string, number: number): string => (number === 0 ? root : join(root, `=rebuilt-${number}`));

/** 0 also if the named folder is missing: the read models were deleted by hand, and are built again from the log. */
const currentNumber = async (root: string): Promise<number> => {
  const named = await readFile(join(root, POINTER), 'utf8').catch(() => '');
  const number = NAME.exec(named.trim())?.[1];
  const folders = await readdir(root);
  return number !== undefined && folders.includes(`=rebuilt-${number}`) ? Number(number) : 0;
};

const writePointer = async (root: string, number: number): Promise<void> => {
  const temporary = join(root, TEMPORARY);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`=rebuilt-${number}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(root, POINTER));
  await syncFolder(root);
};

/** The folder of the current set below `root`. */
export const currentFolder = async (root: string): Promise<string> => folderOf(root, await currentNumber(root));

/** Whether it is a folder of a set, or the pointer. */
const isOfSets = (entry: string): boolean => entry === POINTER || entry === TEMPORARY || NAME.test(entry);

const isOf = (entry: string, number: number, isOwn: (entry: string) => boolean): boolean =>
  number === 0 ? !isOfSets(entry) && isOwn(entry) : entry === `=rebuilt-${number}`;

const remove = async (root: string, isRemoved: (entry: string) => boolean): Promise<void> => {
  for (const entry of await readdir(root)) if (isRemoved(entry)) await rm(join(root, entry), { recursive: true, force: true });
};

const storage = async (doing: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    throw new Unavailable(`${doing}: ${String(error)}`, { cause: error });
  }
};
