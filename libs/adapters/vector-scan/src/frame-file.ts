import { constants, copyFile, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SEALED_EXTRA, type FileSeal } from '@palimpsest/contracts';
import { ifCode, removeFolder, replaceFolder, syncFile, syncNames, writeFully } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import {
  decodeHeader,
  encodeHeader,
  frameHead,
  HEADER_BYTES,
  holdsFrameAfter,
  newId,
  placeOfSecond,
  readFrames,
  rowFrame,
  UnreadableFrame,
  VERSION,
  type Frame,
  type Reading,
  type Version,
} from './frames.ts';
import type { PartReader } from './originals.ts';
import { storage } from './storage.ts';

/** Seals the file with this id, of this version of the format. */
export type Sealing = (id: string, version: Version) => Promise<FileSeal>;

type Visit = (frame: Frame) => void;

/**
 * The file of one partition: a header, a base (written by the last compaction, always complete), then one frame per call. A crash may
 * leave the last frames incomplete; opening truncates them. Any other defect is damage. Checksums find both, also without a key; rows are
 * sealed, each for its place in this file.
 */
export class FrameFile {
  readonly path: string;
  /** `flush` syncs the folders of a new file up to this one. */
  readonly #root: string;
  readonly #sealing: Sealing;
  #id: string | undefined;
  #version: Version = VERSION;
  #size = 0;
  #folderDirty = false;
  #dirty = false;
  /** Set when a failed write may have left bytes after `#size`. */
  #hasGarbage = false;

  constructor(path: string, root: string, sealing: Sealing) {
    this.path = path;
    this.#root = root;
    this.#sealing = sealing;
  }

  get size(): number {
    return this.#size;
  }

  /** Accepts an existing file without reading it. `recover` must be called before any read or append. */
  assume(size: number): void {
    this.#size = size;
  }

  /** Another one after each rewrite; undefined until the file was read. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Whether an earlier version wrote it. Only after `recover`: then it must be rewritten. */
  get isOld(): boolean {
    return this.#version < VERSION;
  }

  /**
   * Reads an existing file and truncates an incomplete append at its end; `visit` gets every frame. Writes that an earlier process may
   * not have flushed are flushed with the next flush.
   * @throws Corrupt when the file is damaged
   */
  async recover(visit: Visit): Promise<void> {
    await storage(`opening ${this.path}`, async () => {
      await rm(`${this.path}.tmp`, { force: true });
      const handle = await open(this.path, 'r+');
      try {
        const { size } = await handle.stat();
        const header = await decodeHeader(handle);
        const { baseEnd } = header;
        this.#version = header.version;
        this.#id = header.version === 1 ? undefined : header.id;
        if (baseEnd > size) throw new Corrupt(`the file ends at byte ${size}, but its base ends at byte ${baseEnd}`);
        const flushed = await this.#readThrough(handle, { size, baseEnd }, visit);
        if (this.#size < size) await handle.truncate(this.#size);
        this.#dirty = !flushed;
        this.#folderDirty = !flushed;
      } finally {
        await handle.close();
      }
    });
  }

  /** Sets the size up to which the file is intact. Returns whether all of that is known to be on disk. */
  async #readThrough(handle: FileHandle, { size, baseEnd }: Readonly<{ size: number; baseEnd: number }>, visit: Visit): Promise<boolean> {
    this.#size = size;
    try {
      const frames = readFrames(handle, size, await this.#reading());
      for (let next = await frames.next(); ; next = await frames.next()) {
        if (next.done) return next.value;
        visit(next.value);
      }
    } catch (error) {
      if (!(error instanceof UnreadableFrame)) throw error;
      const incompleteAppend = error.at >= baseEnd && !(await holdsFrameAfter(handle, error.at, size));
      if (!incompleteAppend) throw new Corrupt(`the frame at byte ${error.at} of ${size} is damaged`);
      this.#size = error.at;
      return false;
    }
  }

  /** Yields every frame so far. @throws Corrupt */
  async *frames(): AsyncGenerator<Frame> {
    const handle = await storage(`reading ${this.path}`, () => open(this.path, 'r'));
    try {
      yield* readFrames(handle, this.#size, await this.#reading());
    } catch (error) {
      throw error instanceof UnreadableFrame ? new Corrupt(`the frame at byte ${error.at} is damaged`) : error;
    } finally {
      await handle.close();
    }
  }

  /** Opens the file for reading single parts, if it still has this id. The reader also reads what is appended later. @throws Replaced */
  async reader(id: string): Promise<PartReader> {
    const seal = await this.#sealing(id, VERSION);
    const handle = await storage(`reading ${this.path}`, () => openWithId(this.path, id));
    if (handle === undefined) throw new Replaced();
    return { read: (at, length) => readPart(handle, seal, at, length), close: () => handle.close() };
  }

  /** Creates an empty file; replaces an existing one. */
  async create(): Promise<void> {
    const id = newId();
    await storage(`creating ${this.path}`, async () => {
      await mkdir(dirname(this.path), { recursive: true });
      const handle = await open(this.path, 'w');
      try {
        await writeFully(handle, encodeHeader({ baseEnd: HEADER_BYTES, id }), 0);
      } finally {
        await handle.close();
      }
    });
    this.#id = id;
    this.#version = VERSION;
    this.#size = HEADER_BYTES;
    this.#dirty = true;
    this.#folderDirty = true;
  }

  /**
   * Appends one frame atomically. It survives a crash of the machine only after `flush`.
   * @returns the place of its second part, which contains the first vectors
   */
  async append(parts: readonly Uint8Array[]): Promise<number> {
    if (this.#id === undefined || this.isOld) throw new Error(`${this.path} was not rewritten`);
    const at = this.#size;
    await this.#write(`writing to ${this.path}`, rowFrame(parts, at, await this.#sealing(this.#id, VERSION)));
    this.#dirty = true;
    return placeOfSecond(parts, at);
  }

  /** Makes all appended frames durable, and then marks the file as flushed: an unreadable frame before that mark is damage. */
  async flush(): Promise<void> {
    if (!this.#dirty) return;
    await storage(`flushing ${this.path}`, async () => {
      await syncFile(this.path);
      if (this.#folderDirty) await syncNames(this.path, this.#root);
    });
    this.#folderDirty = false;
    this.#dirty = false;
    await this.#markFlushed();
  }

  async #markFlushed(): Promise<void> {
    await this.#write(`flushing ${this.path}`, frameHead('flushed', new Uint8Array(0)));
  }

  /** Replaces the whole content with a base of these frames, atomically and durably. */
  async rewrite(frames: Iterable<readonly Uint8Array[]> | AsyncIterable<readonly Uint8Array[]>): Promise<void> {
    const draft = `${this.path}.tmp`;
    const id = newId();
    const seal = await this.#sealing(id, VERSION);
    let size = HEADER_BYTES;
    await storage(`compacting ${this.path}`, async () => {
      const handle = await open(draft, 'w');
      try {
        for await (const parts of frames) {
          const frame = rowFrame(parts, size, seal);
          await writeFully(handle, frame, size);
          size += frame.length;
        }
        await writeFully(handle, encodeHeader({ baseEnd: size, id }), 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, this.path);
      await syncNames(this.path, this.#root);
    }).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
    this.#id = id;
    this.#version = VERSION;
    this.#size = size;
    this.#dirty = false;
    this.#folderDirty = false;
    await this.#markFlushed();
  }

  /**
   * Removes the file and those of its folders that are then empty. The removal is durable when it returns: a partition that a power
   * failure brought back would go unnoticed.
   */
  async remove(): Promise<void> {
    await storage(`removing ${this.path}`, () => removeFolder(dirname(this.path), this.#root));
    this.#size = 0;
    this.#dirty = false;
  }

  /** Takes the flushed file of another index, durably. */
  async replaceBy(other: FrameFile): Promise<void> {
    await storage(`replacing ${this.path}`, () => replaceFolder(dirname(other.path), dirname(this.path), this.#root));
    this.#id = other.#id;
    this.#version = other.#version;
    this.#size = other.#size;
    this.#dirty = false;
    this.#folderDirty = false;
    this.#hasGarbage = other.#hasGarbage;
  }

  /** Takes a copy of the file of another index, which may not be on disk yet. */
  async copyOf(other: FrameFile): Promise<void> {
    await storage(`copying ${other.path}`, async () => {
      await mkdir(dirname(this.path), { recursive: true });
      await copyFile(other.path, this.path, constants.COPYFILE_FICLONE);
    });
    this.#id = other.#id;
    this.#version = other.#version;
    this.#size = other.#size;
    this.#dirty = true;
    this.#folderDirty = true;
    this.#hasGarbage = other.#hasGarbage;
  }

  async #reading(): Promise<Reading> {
    return { version: this.#version, seal: this.#id === undefined ? undefined : await this.#sealing(this.#id, this.#version) };
  }

  async #write(doing: string, bytes: Uint8Array): Promise<void> {
    await storage(doing, async () => {
      const handle = await open(this.path, 'r+');
      try {
        if (this.#hasGarbage) await handle.truncate(this.#size);
        this.#hasGarbage = true;
        await writeFully(handle, bytes, this.#size);
        this.#hasGarbage = false;
      } finally {
        await handle.close();
      }
    });
    this.#size += bytes.length;
  }
}

/** The file was rewritten, or removed, since its rows were read. */
export class Replaced extends Error {}

/** Returns undefined when there is no file, or one with another id. */
const openWithId = async (path: string, id: string): Promise<FileHandle | undefined> => {
  const handle = await open(path, 'r').catch(ifCode('ENOENT', undefined));
  if (handle === undefined) return undefined;
  try {
    const header = await decodeHeader(handle);
    if (header.version !== 1 && header.id === id) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
};

const readPart = async (handle: FileHandle, seal: Pick<FileSeal, 'open'>, at: number, length: number): Promise<Uint8Array> => {
  const sealed = Buffer.alloc(length + SEALED_EXTRA);
  const { bytesRead } = await storage('reading vectors', () => handle.read(sealed, 0, sealed.length, at));
  if (bytesRead < sealed.length) throw new Corrupt(`the file ends before byte ${at + sealed.length}`);
  return seal.open(sealed, at);
};

export const VECTORS_FILE = 'vectors.dat';
export const vectorsFile = (folder: string): string => join(folder, VECTORS_FILE);
