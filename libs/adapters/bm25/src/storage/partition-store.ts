import { appendFile, constants, copyFile, mkdir, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSeal, partitionFolder, type FileSeal } from '@palimpsest/contracts';
import {
  fileStamps,
  ifCode,
  removeFolder,
  replaceFile,
  replaceFolder,
  runCooperatively,
  syncFile,
  syncNames,
  writeFully,
  type FileStamp,
} from '@palimpsest/foundation';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { START, type Position } from '@palimpsest/knowledge/values';
import { BM25_ANALYSER_VERSION } from '../analysis/analyse.ts';
import { Partition, type PartitionContents } from '../partition/partition.ts';
import { decodeSteps, encodeSteps, requireAnalyser } from './base-file.ts';
import { decodeBatch, encodeBatch, type Batch } from './batch.ts';
import { Damaged, openPiece } from './damaged.ts';
import { FLUSHED, frame, readFrames, type Frame } from './frames.ts';
import { newId, readBase, sealBase } from './sealed-base.ts';

/**
 * `durable`: all of it is known to be on disk; otherwise `sync` is needed before anything may depend on it. `isClear`: the files, as
 * earlier versions wrote them, are not sealed; `writeBase` seals them.
 */
export type Stored = Readonly<{
  partition: Partition;
  position: Position;
  baseBytes: number;
  journalBytes: number;
  durable: boolean;
  isClear: boolean;
}>;

/** Of the journal; in format 1 nothing is sealed. */
const FORMAT = 2;
/**
 * The first frame, in the clear. `id`: no other journal has it. Format 1 has an `analyser` instead of `analysedBy`: without it, earlier versions
 * report the journal as damaged, and rebuild it.
 */
type JournalHeader = Readonly<{ format: number; analysedBy: string; id: string }>;

/** `batches` are opened one at a time, so that not all of them are in memory twice. */
type Journal = Readonly<{
  started: boolean;
  batches: readonly (() => Buffer)[];
  bytes: number;
  flushed: boolean;
  isClear: boolean;
}>;

/**
 * The files of one partition: `base` (all data up to some position) and `journal` (a frame for each later call), both sealed. Files are opened for
 * each use, so that thousands of partitions keep no file open. Calls on one store must not overlap.
 */
export class PartitionStore {
  readonly #folder: string;
  readonly #root: string;
  readonly #journal: string;
  readonly #base: string;
  readonly #keys: Pick<ScopeKeys, 'cipher'>;
  readonly #of: IndexPartition;
  /** The id of the journal, once it was read or started. */
  #id = '';

  /** @param root when the partition is removed, its empty parent folders are removed up to here */
  constructor(root: string, of: IndexPartition, keys: Pick<ScopeKeys, 'cipher'>) {
    this.#folder = partitionFolder(root, of, 'lexical');
    this.#root = root;
    this.#of = of;
    this.#keys = keys;
    this.#journal = join(this.#folder, 'journal');
    this.#base = join(this.#folder, 'base');
  }

  /**
   * Reads the partition and truncates an incomplete append of the journal. Returns undefined when the partition does not exist.
   * @throws Damaged
   */
  async load(kernelFrom: number): Promise<Stored | undefined> {
    const file = await readBase(this.#base, this.#baseSeal);
    const base = file === undefined ? undefined : await runCooperatively(decodeSteps(file.contents));
    const journal = await this.#readJournal();
    if (base === undefined && !journal.started) return undefined;
    if (!journal.started) await this.#startJournal();
    const partition = base === undefined ? new Partition(kernelFrom) : Partition.restore(base.contents, kernelFrom);
    const position = await replay(partition, base?.upTo ?? START, journal.batches);
    return {
      partition,
      position,
      baseBytes: file?.size ?? 0,
      journalBytes: journal.bytes,
      durable: journal.flushed,
      isClear: journal.isClear || file?.isClear === true,
    };
  }

  /** The current file stamps of base and journal. */
  stamps(): readonly FileStamp[] {
    return fileStamps(this.#folder, ['base', 'journal']);
  }

  /** Reads all files only to check them. @throws Damaged */
  async check(): Promise<void> {
    const file = await readBase(this.#base, this.#baseSeal);
    if (file !== undefined) await runCooperatively(decodeSteps(file.contents));
    for (const batch of (await this.#readJournal()).batches) batch();
  }

  async #readJournal(): Promise<Journal> {
    const bytes = (await readFile(this.#journal).catch(ifCode('ENOENT', undefined))) ?? Buffer.alloc(0);
    const { frames, end, damage } = readFrames(bytes);
    if (damage !== undefined) throw new Damaged(`journal: ${damage}`);
    const [header, ...rest] = frames;
    if (header === undefined) return { started: false, batches: [], bytes: 0, flushed: false, isClear: false };
    const { format, analyser, analysedBy, id } = headerOf(header);
    if (format !== 1 && format !== FORMAT) throw new Damaged(`journal: format ${String(format)} is not supported`);
    requireAnalyser(format === 1 ? analyser : analysedBy);
    this.#id = id ?? '';
    const isClear = format === 1;
    const seal = isClear ? undefined : await this.#journalSeal();
    if (end < bytes.length) await truncate(this.#journal, end);
    const isEmpty = ({ payload }: Frame): boolean => payload.length === FLUSHED.length;
    const last = rest.at(-1);
    return {
      started: true,
      batches: rest
        .filter((one) => !isEmpty(one))
        .map(
          ({ at, payload }) =>
            () =>
              seal === undefined ? payload : bufferOf(openPiece(seal, payload, at)),
        ),
      bytes: end,
      flushed: last !== undefined && isEmpty(last) && end === bytes.length,
      isClear,
    };
  }

  /** Creates the folder with an empty journal; replaces an existing one. */
  async create(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true });
    await this.#startJournal();
    await this.#syncNames();
  }

  /**
   * Returns by how many bytes the journal grew. They survive a crash of this process; after `sync`, also a crash of the machine. Call it
   * on the store that loaded or created the partition.
   */
  async append(batch: Batch): Promise<number> {
    const seal = await this.#journalSeal();
    const file = await open(this.#journal, 'a');
    try {
      const { size } = await file.stat();
      const bytes = frame(seal.seal(encodeBatch(batch), size));
      await writeFully(file, bytes);
      return bytes.length;
    } finally {
      await file.close();
    }
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
    const id = newId();
    await replaceFile(this.#base, sealBase(await runCooperatively(encodeSteps(contents, upTo)), id, await this.#baseSeal(id)));
    await this.#startJournal();
    await appendFile(this.#journal, frame(FLUSHED));
    return (await stat(this.#base)).size;
  }

  /** Replaces the files by those of another partition, which must be on disk. */
  async replaceBy(other: PartitionStore): Promise<void> {
    await replaceFolder(other.#folder, this.#folder, this.#root);
    this.#id = other.#id;
  }

  /** Creates the folder with copies of the files of another partition, which may not be on disk yet. */
  async copyOf(other: PartitionStore): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await copyFile(other.#base, this.#base, constants.COPYFILE_FICLONE).catch(ifCode('ENOENT', undefined));
    await copyFile(other.#journal, this.#journal, constants.COPYFILE_FICLONE);
  }

  /**
   * Removes the files and the parent folders that are then empty (the name of a scope is often the name of a person). The removal is
   * durable when it returns: a partition that a power failure brought back would go unnoticed.
   */
  async remove(): Promise<void> {
    await removeFolder(this.#folder, this.#root);
  }

  async #startJournal(): Promise<void> {
    this.#id = newId();
    const header: JournalHeader = { format: FORMAT, analysedBy: BM25_ANALYSER_VERSION, id: this.#id };
    await replaceFile(this.#journal, [frame(Buffer.from(JSON.stringify(header)))]);
  }

  readonly #baseSeal = (id: string): Promise<FileSeal> => fileSeal(this.#keys, this.#of, 'lexical base 2', id);

  #journalSeal(): Promise<FileSeal> {
    return fileSeal(this.#keys, this.#of, 'lexical journal 2', this.#id);
  }
}

/** Applies the batches after position `from`, and returns the position reached. */
const replay = async (partition: Partition, from: Position, batches: Journal['batches']): Promise<Position> => {
  let reached = from;
  for (const read of batches) {
    const batch = decodeBatch(read());
    // A crash between a new base and the new journal leaves calls that the base already contains. A call at exactly the position of the
    // base may be one of them; applying it again in order changes nothing.
    if (batch.upTo < from || (batch.upTo === from && batch.after < from)) continue;
    if (batch.after !== reached) throw new Damaged(`journal: a call expects position ${batch.after}, but position ${reached} was reached`);
    await runCooperatively(partition.writeSteps(batch));
    await runCooperatively(partition.mergeSteps());
    reached = batch.upTo;
  }
  return reached;
};

/** @throws Damaged */
const headerOf = ({ payload }: Frame): Partial<JournalHeader & { analyser: string }> => {
  try {
    return JSON.parse(payload.toString()) as Partial<JournalHeader>;
  } catch {
    throw new Damaged('journal: it does not begin with its header');
  }
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
