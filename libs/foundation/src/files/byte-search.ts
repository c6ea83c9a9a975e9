import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ifCode } from './error-code.ts';

/** Bytes to look for, at least eight. */
export type Probe = Readonly<{ name: string; bytes: Uint8Array }>;

/** A text as UTF-8 and as UTF-16: databases use both. */
export const textProbes = (name: string, text: string): readonly Probe[] => [
  { name, bytes: Buffer.from(text) },
  { name, bytes: Buffer.from(text, 'utf16le') },
];

const PIECE = 64;

/** Pieces of 64 bytes of a vector of float32 values, little-endian. */
export const vectorProbes = (name: string, vector: ArrayLike<number>): readonly Probe[] => {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return Array.from({ length: Math.floor(bytes.length / PIECE) }, (_, n) => ({ name, bytes: bytes.subarray(n * PIECE, (n + 1) * PIECE) }));
};

/** Small, because a block is searched without a pause. */
const BLOCK = 2 ** 18;
/** Bytes of a probe that are looked up at each offset. */
const KEY = 4;
const MIN_BYTES = 8;
const BITS = 16;

/** Spreads four bytes over the table. */
const slotOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - BITS);

/** Finds which of many byte sequences occur in files. Each offset of a file is looked up once, in a table of their first four bytes. */
export class ByteSearch {
  readonly #table = new Uint8Array(2 ** BITS);
  readonly #byKey = new Map<number, Probe[]>();
  #longest = 0;

  /** @throws RangeError for a probe that is too short */
  constructor(probes: readonly Probe[]) {
    for (const probe of probes) {
      const { name, bytes } = probe;
      if (bytes.length < MIN_BYTES) throw new RangeError(`${name}: a probe has at least ${MIN_BYTES} bytes`);
      const key = new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
      this.#longest = Math.max(this.#longest, bytes.length);
      this.#table[slotOf(key)] = 1;
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), probe]);
    }
  }

  /** The names of the probes that the file contains, and its size. Other work runs between its blocks. */
  async inFile(path: string, signal?: AbortSignal): Promise<Readonly<{ found: ReadonlySet<string>; size: number }>> {
    const file = await open(path, 'r');
    try {
      const found = new Set<string>();
      const buffer = Buffer.alloc(BLOCK + this.#longest);
      // The end of a block is read again with the next one: a probe may lie across it.
      let [kept, size] = [0, 0];
      for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await file.read(buffer, kept, BLOCK, null);
        if (bytesRead === 0) return { found, size };
        size += bytesRead;
        const end = kept + bytesRead;
        this.#search(buffer, end, found);
        kept = Math.max(0, Math.min(end, this.#longest - 1));
        buffer.copy(buffer, 0, end - kept, end);
      }
    } finally {
      await file.close();
    }
  }

  #search(buffer: Buffer, end: number, found: Set<string>): void {
    const table = this.#table;
    let key = ((buffer[0] ?? 0) << 8) | ((buffer[1] ?? 0) << 16) | ((buffer[2] ?? 0) << 24);
    for (let at = KEY - 1; at < end; at++) {
      key = (key >>> 8) | ((buffer[at] ?? 0) << 24);
      if (table[slotOf(key)] === 0) continue;
      const from = at - KEY + 1;
      for (const { name, bytes } of this.#byKey.get(key) ?? [])
        if (from + bytes.length <= end && buffer.compare(bytes, 0, bytes.length, from, from + bytes.length) === 0) found.add(name);
    }
  }
}

/** `found`: the names of the probes that were found, with the files. */
export type FolderSearch = Readonly<{ files: number; bytes: number; found: ReadonlyMap<string, readonly string[]> }>;

type SearchOptions = Readonly<{ isLeftOut?: (path: string) => boolean; signal?: AbortSignal }>;

/** Searches every file below a folder. A file that vanishes meanwhile is left out. Paths are relative to the folder. */
export const searchFolder = async (folder: string, probes: readonly Probe[], options: SearchOptions = {}): Promise<FolderSearch> => {
  const { isLeftOut = () => false, signal } = options;
  const search = new ByteSearch(probes);
  const found = new Map<string, string[]>();
  let [files, bytes] = [0, 0];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || isLeftOut(path)) continue;
    const result = await search.inFile(join(folder, path), signal).catch(ifCode('ENOENT', undefined));
    if (result === undefined) continue;
    [files, bytes] = [files + 1, bytes + result.size];
    for (const name of result.found) found.set(name, [...(found.get(name) ?? []), path]);
  }
  return { files, bytes, found };
};
