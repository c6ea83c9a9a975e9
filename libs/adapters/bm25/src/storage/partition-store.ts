import { appendFile, mkdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fileStamps,
  ifCode,
  removeFolder,
  replaceFile,
  replaceFolder,
  runCooperatively,
  syncFile,
  syncNames,
  type FileStamp,
} from '@palimpsest/foundation';
import { START, type Position } from '@palimpsest/knowledge/values';
import { BM25_ANALYSER_VERSION } from '../analysis/analyse.ts';
import { Partition, type PartitionContents } from '../partition/partition.ts';
import { decodeBase, encodeBase, requireAnalyser } from './base-file.ts';
import { decodeBatch, encodeBatch, type Batch } from './batch.ts';
import { Damaged } from './damaged.ts';
import { FLUSHED, frame, readFrames } from './frames.ts';

/** `durable`: all of it is known to be on disk; otherwise `sync` is needed before anything may depend on it. */
export type Stored = Readonly<{ partition: Partition; position: Position; baseBytes: number; journalBytes: number; durable: boolean }>;

/**
 * The files of one partition: `base` (all data up to some position) and `journal` (a frame for each later call). Files are opened for
 * each use, so that thousands of partitions keep no file open. Calls on one store must not overlap.
 */
export class PartitionStore {
  readonly #folder: string;
  readonly #root: string;
  readonly #journal: string;
  readonly #base: string;

  /** @param root when the partition is removed, its empty parent folders are removed up to here */
  constructor(folder: string, root: string) {
    this.#folder = folder;
    this.#root = root;
    this.#journal = join(folder, 'journal');
    this.#base = join(folder, 'base');
  }

  /**
   * Reads the partition and truncates an incomplete append of the journal. Returns undefined when the partition does not exist.
   * @throws Damaged
   */
  async load(kernelFrom: number): Promise<Stored | undefined> {
    const bytes = await readWhole(this.#base);
    const base = bytes === undefined ? undefined : decodeBase(bytes);
    const journal = await this.#readJournal();
    if (base === undefined && !journal.started) return undefined;
    if (!journal.started) await this.#startJournal();
    const partition = base === undefined ? new Partition(kernelFrom) : Partition.restore(base.contents, kernelFrom);
    const position = await replay(partition, base?.upTo ?? START, journal.batches);
    return { partition, position, baseBytes: bytes?.length ?? 0, journalBytes: journal.bytes, durable: journal.flushed };
  }

  /** The current file stamps of base and journal. */
  stamps(): readonly FileStamp[] {
    return fileStamps(this.#folder, ['base', 'journal']);
  }

  /** Reads all files only to check them. @throws Damaged */
  async check(): Promise<void> {
    const bytes = await readWhole(this.#base);
    if (bytes !== undefined) decodeBase(bytes);
    await this.#readJournal();
  }

  async #readJournal(): Promise<Readonly<{ started: boolean; batches: readonly Buffer[]; bytes: number; flushed: boolean }>> {
    const bytes = (await readWhole(this.#journal)) ?? Buffer.alloc(0);
    const { payloads, end, damage } = readFrames(bytes);
    if (damage !== undefined) throw new Damaged(`journal: ${damage}`);
    const [header, ...rest] = payloads;
    if (header === undefined) return { started: false, batches: [], bytes: 0, flushed: false };
    requireAnalyser((JSON.parse(header.toString()) as { analyser?: unknown }).analyser);
    if (end < bytes.length) await truncate(this.#journal, end);
    const flushed = rest.at(-1)?.length === FLUSHED.length && end === bytes.length;
    return { started: true, batches: rest.filter(({ length }) => length !== FLUSHED.length), bytes: end, flushed };
  }

  /** Creates the folder with an empty journal; replaces an existing one. */
  async create(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true });
    await this.#startJournal();
    await this.#syncNames();
  }

  /** Returns by how many bytes the journal grew. They survive a crash of this process; after `sync`, also a crash of the machine. */
  async append(batch: Batch): Promise<number> {
    const bytes = frame(encodeBatch(batch));
    await appendFile(this.#journal, bytes);
    return bytes.length;
  }

  /**
   * Makes every call so far survive a crash of the machine, and then marks the journal as flushed: a journal without this mark at its
   * end may not be on disk. `names`: also sync the file names, which an earlier process may not have done.
   */
  async sync({ names }: Readonly<{ names: boolean }>): Promise<void> {
    await syncFile(this.#journal);
    if (names) await this.#syncNames();
    await appendFile(this.#journal, frame(FLUSHED));
  }

  /** Syncs the names of the files and of the folders above them. */
  #syncNames(): Promise<void> {
    return syncNames(this.#journal, this.#root);
  }

  /** Replaces base and journal with a new base, which is on disk when this returns. Returns its size in bytes. */
  async writeBase(contents: PartitionContents, upTo: Position): Promise<number> {
    const pieces = encodeBase(contents, upTo);
    await replaceFile(this.#base, pieces);
    await this.#startJournal();
    await appendFile(this.#journal, frame(FLUSHED));
    return pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Replaces the files by those of another partition, which must be on disk. */
  async replaceBy(other: PartitionStore): Promise<void> {
    await replaceFolder(other.#folder, this.#folder, this.#root);
  }

  /**
   * Removes the files and the parent folders that are then empty (the name of a scope is often the name of a person). The removal is
   * durable when it returns: a partition that a power failure brought back would go unnoticed.
   */
  async remove(): Promise<void> {
    await removeFolder(this.#folder, this.#root);
  }

  async #startJournal(): Promise<void> {
    await replaceFile(this.#journal, [frame(Buffer.from(JSON.stringify({ format: 1, analyser: BM25_ANALYSER_VERSION })))]);
  }
}

export const applyBatch = (partition: Partition, { puts, removals }: Pick<Batch, 'puts' | 'removals'>): void => {
  for (const chunkId of removals) partition.remove(chunkId);
  partition.putEncoded(puts);
};

/** Applies the batches after position `from`, and returns the position reached. */
const replay = async (partition: Partition, from: Position, batches: readonly Buffer[]): Promise<Position> => {
  let reached = from;
  for (const bytes of batches) {
    const batch = decodeBatch(bytes);
    // A crash between a new base and the new journal leaves calls that the base already contains. A call at exactly the position of the
    // base may be one of them; applying it again in order changes nothing.
    if (batch.upTo < from || (batch.upTo === from && batch.after < from)) continue;
    if (batch.after !== reached) throw new Damaged(`journal: a call expects position ${batch.after}, but position ${reached} was reached`);
    applyBatch(partition, batch);
    await runCooperatively(partition.mergeSteps());
    reached = batch.upTo;
  }
  return reached;
};

const readWhole = async (path: string): Promise<Buffer | undefined> => {
  const bytes = await readFile(path).catch(ifCode('ENOENT', undefined));
  // Arrays are used in place, which requires a buffer that starts at a multiple of eight.
  return bytes === undefined || bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
};
