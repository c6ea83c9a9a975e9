/** Looks for byte sequences in files: what a store was supposed to forget. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK = 4 * 2 ** 20;
/** Bytes of a probe that are looked up at each offset. */
const KEY = 4;
const BITS = 16;

/** Spreads four bytes over the table. */
const slotOf = (key) => Math.imul(key, 0x9e3779b1) >>> (32 - BITS);

/**
 * Finds which of the probes occur anywhere. `probes`: `{ name, bytes }`, each of at least eight bytes. All are looked for at once: each
 * offset of a file is looked up in a table of their first four bytes.
 */
export class Probes {
  #longest = 0;
  #table = new Uint8Array(2 ** BITS);
  #byKey = new Map();

  constructor(probes) {
    for (const probe of probes) {
      const { name, bytes } = probe;
      if (bytes.length < 8) throw new RangeError(`${name}: a probe has at least eight bytes`);
      const key = Buffer.from(bytes).readInt32LE(0);
      this.#longest = Math.max(this.#longest, bytes.length);
      this.#table[slotOf(key)] = 1;
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), probe]);
    }
  }

  /** The names of the probes that the file contains, and its size. */
  async inFile(path) {
    const file = await open(path, 'r');
    try {
      const found = new Set();
      const buffer = Buffer.alloc(BLOCK + this.#longest);
      // The end of a block is read again with the next one: a probe may lie across it.
      let [kept, size] = [0, 0];
      for (;;) {
        const { bytesRead } = await file.read(buffer, kept, BLOCK, null);
        if (bytesRead === 0) return { found, size };
        size += bytesRead;
        const end = kept + bytesRead;
        this.#search(buffer, end, found);
        kept = Math.min(end, this.#longest - 1);
        buffer.copy(buffer, 0, end - kept, end);
      }
    } finally {
      await file.close();
    }
  }

  #search(buffer, end, found) {
    const table = this.#table;
    let key = buffer[0] | (buffer[1] << 8) | (buffer[2] << 16);
    key <<= 8;
    for (let at = KEY - 1; at < end; at++) {
      key = (key >>> 8) | (buffer[at] << 24);
      if (table[slotOf(key)] === 0) continue;
      const from = at - KEY + 1;
      for (const { name, bytes } of this.#byKey.get(key) ?? [])
        if (from + bytes.length <= end && buffer.compare(bytes, 0, bytes.length, from, from + bytes.length) === 0) found.add(name);
    }
  }
}

/** Scans every file below a folder: the probes that were found, with the files. A file that vanishes meanwhile is left out. */
export const scanFolder = async (folder, probes) => {
  const search = new Probes(probes);
  const found = new Map();
  let [files, bytes] = [0, 0];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const result = await search.inFile(path).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (result === undefined) continue;
    [files, bytes] = [files + 1, bytes + result.size];
    for (const name of result.found) found.set(name, [...(found.get(name) ?? []), path.slice(folder.length + 1)]);
  }
  return { files, bytes, found };
};
