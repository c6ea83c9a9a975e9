import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeFolder } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge';
import { storage, syncFolders, writeFully } from './durable-files.ts';
import { decodeHeader, encodeHeader, frameHead, FRAME_HEAD_BYTES, HEADER_BYTES, holdsFrameAfter, readFrames, UnreadableFrame } from './frames.ts';

/**
 * One partition's file: a header, a base (what the last compaction wrote, complete by construction), then one frame per call.
 * The last frames may be torn by a crash, and are then cut off on opening; anything else that does not add up is damage.
 */
export class FrameFile {
  readonly path: string;
  /** Folders above the file that `flush` has to make durable with a new file, innermost first. */
  readonly #folders: readonly string[];
  #size = 0;
  #folderDirty = false;
  #dirty = false;
  /** Set when a failed write may have left something behind `#size`. */
  #untidy = false;

  constructor(path: string, folders: readonly string[]) {
    this.path = path;
    this.#folders = folders;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes an existing file for sound up to its size, unread. `recover` has to come before anything is read from it, or added. */
  assume(size: number): void {
    this.#size = size;
  }

  /**
   * Reads an existing file through and cuts off a torn tail; `visit` sees every payload. What an earlier process wrote and may
   * not have flushed is flushed with what comes next.
   * @throws Corrupt when the file is damaged
   */
  async recover(visit: (payload: Uint8Array) => void): Promise<void> {
    await storage(`opening ${this.path}`, async () => {
      await rm(`${this.path}.tmp`, { force: true });
      const handle = await open(this.path, 'r+');
      try {
        const { size } = await handle.stat();
        const { baseEnd } = await decodeHeader(handle);
        if (baseEnd > size) throw new Corrupt(`the file ends at ${size}, its base at ${baseEnd}`);
        const flushed = await this.#readThrough(handle, { size, baseEnd }, visit);
        if (this.#size < size) await handle.truncate(this.#size);
        this.#dirty = !flushed;
        this.#folderDirty = !flushed;
      } finally {
        await handle.close();
      }
    });
  }

  /** Sets the size up to which the file is sound; answers whether all of that is known to be on disk. */
  async #readThrough(handle: FileHandle, { size, baseEnd }: Readonly<{ size: number; baseEnd: number }>, visit: (payload: Uint8Array) => void): Promise<boolean> {
    this.#size = size;
    try {
      const frames = readFrames(handle, size);
      for (let next = await frames.next(); ; next = await frames.next()) {
        if (next.done) return next.value;
        visit(next.value);
      }
    } catch (error) {
      if (!(error instanceof UnreadableFrame)) throw error;
      const torn = error.at >= baseEnd && !(await holdsFrameAfter(handle, error.at, size));
      if (!torn) throw new Corrupt(`the frame at ${error.at} of ${size} bytes is damaged`);
      this.#size = error.at;
      return false;
    }
  }

  /** Every payload up to now. @throws Corrupt */
  async *payloads(): AsyncGenerator<Uint8Array> {
    const handle = await storage(`reading ${this.path}`, () => open(this.path, 'r'));
    try {
      yield* readFrames(handle, this.#size);
    } catch (error) {
      throw error instanceof UnreadableFrame ? new Corrupt(`the frame at ${error.at} is damaged`) : error;
    } finally {
      await handle.close();
    }
  }

  /** Begins an empty file in place of whatever was there. */
  async create(): Promise<void> {
    await storage(`creating ${this.path}`, async () => {
      await mkdir(dirname(this.path), { recursive: true });
      const handle = await open(this.path, 'w');
      try {
        await writeFully(handle, encodeHeader({ baseEnd: HEADER_BYTES }), 0);
      } finally {
        await handle.close();
      }
    });
    this.#size = HEADER_BYTES;
    this.#dirty = true;
    this.#folderDirty = true;
  }

  /** Adds one frame, whole or not at all. Not yet safe from a crash of the machine: that is `flush`. */
  async append(payload: Uint8Array): Promise<void> {
    await this.#write(`writing to ${this.path}`, Buffer.concat([frameHead('rows', payload), payload]));
    this.#dirty = true;
  }

  /** Makes everything appended durable, and then says so in the file: from there on, a frame that is unreadable is damage. */
  async flush(): Promise<void> {
    if (!this.#dirty) return;
    await storage(`flushing ${this.path}`, async () => {
      const handle = await open(this.path, 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (this.#folderDirty) await syncFolders(this.#folders);
    });
    this.#folderDirty = false;
    this.#dirty = false;
    await this.#sayFlushed();
  }

  async #sayFlushed(): Promise<void> {
    await this.#write(`flushing ${this.path}`, frameHead('flushed', new Uint8Array(0)));
  }

  /** Replaces the whole content by a base of these payloads, in one step, durably. */
  async rewrite(payloads: Iterable<Uint8Array>): Promise<void> {
    const draft = `${this.path}.tmp`;
    let size = HEADER_BYTES;
    await storage(`compacting ${this.path}`, async () => {
      const handle = await open(draft, 'w');
      try {
        for (const payload of payloads) {
          await writeFully(handle, Buffer.concat([frameHead('rows', payload), payload]), size);
          size += FRAME_HEAD_BYTES + payload.length;
        }
        await writeFully(handle, encodeHeader({ baseEnd: size }), 0);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, this.path);
      await syncFolders(this.#folders);
    }).catch(async (error: unknown) => {
      await rm(draft, { force: true });
      throw error;
    });
    this.#size = size;
    this.#dirty = false;
    this.#folderDirty = false;
    await this.#sayFlushed();
  }

  /**
   * Removes the file and its folders, as far as nothing else lies in them. Gone for good when it returns: nobody looks for a
   * partition that was dropped, which a power cut brought back.
   */
  async remove(): Promise<void> {
    await storage(`removing ${this.path}`, () => removeFolder(dirname(this.path), this.#folders.at(-1) ?? dirname(this.path)));
    this.#size = 0;
    this.#dirty = false;
  }

  async #write(doing: string, bytes: Uint8Array): Promise<void> {
    await storage(doing, async () => {
      const handle = await open(this.path, 'r+');
      try {
        if (this.#untidy) await handle.truncate(this.#size);
        this.#untidy = true;
        await writeFully(handle, bytes, this.#size);
        this.#untidy = false;
      } finally {
        await handle.close();
      }
    });
    this.#size += bytes.length;
  }
}

export const VECTORS_FILE = 'vectors.dat';
export const vectorsFile = (folder: string): string => join(folder, VECTORS_FILE);
