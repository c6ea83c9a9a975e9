import { createHash } from 'node:crypto';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import type { BlobKey, BlobStore } from '@palimpsest/knowledge/ports';

type Stored = Map<BlobKey, { bytes: Uint8Array; readonly checksum: string }>;

const checksumOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export class InMemoryBlobStore implements BlobStore {
  readonly #stored: Stored;

  constructor(stored: Stored = new Map()) {
    this.#stored = stored;
  }

  reopened(): InMemoryBlobStore {
    return new InMemoryBlobStore(this.#stored);
  }

  /** Flips a bit of a stored blob, bypassing the store. */
  damage(key: BlobKey): void {
    const blob = this.#stored.get(key);
    if (blob) blob.bytes = blob.bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
  }

  async put(key: BlobKey, bytes: Uint8Array): Promise<void> {
    this.#stored.set(key, { bytes: bytes.slice(), checksum: checksumOf(bytes) });
  }

  async putIfAbsent(key: BlobKey, bytes: Uint8Array): Promise<boolean> {
    if (this.#stored.has(key)) return false;
    await this.put(key, bytes);
    return true;
  }

  async get(key: BlobKey): Promise<Uint8Array | undefined> {
    const blob = this.#stored.get(key);
    if (blob && checksumOf(blob.bytes) !== blob.checksum) throw new Corrupt(`blob ${key} is damaged`);
    return blob && new Uint8Array(blob.bytes);
  }

  async exists(key: BlobKey): Promise<boolean> {
    return this.#stored.has(key);
  }

  async delete(key: BlobKey): Promise<void> {
    this.#stored.delete(key);
  }

  async *list(prefix: string): AsyncIterable<BlobKey> {
    const below = prefix.replace(/\/$/, '');
    if (below !== '') blobKey(below);
    for (const key of [...this.#stored.keys()]) if (below === '' || key === prefix || key.startsWith(`${below}/`)) yield key;
  }
}
