import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import type { BlobKey, BlobStore, ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { KeySlot } from './scope-cipher.ts';
import { isTombstone, tombstone, unwrapKey, wrap, WrongMasterKey, type Wrapped } from './wrapped-key.ts';

export type Store = Readonly<{ blobs: BlobStore; masterKey: KeyObject; recheckMs: number; now: () => number }>;

/** A key of a ring: the name of its blob, and how it is wrapped. `gone`: the error once it is destroyed. */
export type RingKey = Wrapped & Readonly<{ blob: BlobKey; gone: () => ScopeKeyDestroyed }>;

type Known = Readonly<{ slot: KeySlot; checkedAt: number }>;

/** Keys that are stored wrapped, one blob each. A key is created on first use; destroying it leaves a record that it was destroyed. */
export class KeyRing {
  readonly #store: Store;
  readonly #known = new Map<BlobKey, Known>();
  readonly #loading = new Map<BlobKey, Promise<KeySlot>>();
  readonly #gone = new Set<BlobKey>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Always the same slot for a key. @throws ScopeKeyDestroyed, WrongMasterKey, Corrupt, Unavailable */
  async slot(key: RingKey): Promise<KeySlot> {
    if (this.#gone.has(key.blob)) throw key.gone();
    const known = this.#known.get(key.blob);
    if (known !== undefined && this.#store.now() - known.checkedAt < this.#store.recheckMs) return known.slot;
    const loading = this.#loading.get(key.blob) ?? this.#load(key).finally(() => this.#loading.delete(key.blob));
    this.#loading.set(key.blob, loading);
    return loading;
  }

  async destroy({ blob }: RingKey): Promise<void> {
    await this.#store.blobs.put(blob, tombstone());
    this.#forget(blob);
  }

  /** A damaged key is none that was destroyed: `problem` reports it. */
  async isDestroyed(blob: BlobKey): Promise<boolean> {
    try {
      const found = await this.#store.blobs.get(blob);
      return found !== undefined && isTombstone(found);
    } catch (error) {
      if (error instanceof Corrupt) return false;
      throw error;
    }
  }

  async problem(key: RingKey): Promise<string | undefined> {
    const { blobs, masterKey } = this.#store;
    try {
      const found = await blobs.get(key.blob);
      if (found !== undefined) unwrapKey(masterKey, key, found);
      return undefined;
    } catch (error) {
      if (error instanceof Corrupt || error instanceof WrongMasterKey) return error.message;
      throw error;
    }
  }

  async #load(key: RingKey): Promise<KeySlot> {
    const checkedAt = this.#store.now();
    const found = await this.#readOrCreate(key);
    // the key may have been destroyed while this call was waiting for the disk
    if (found === 'destroyed' || this.#gone.has(key.blob)) {
      this.#forget(key.blob);
      throw key.gone();
    }
    const slot = this.#known.get(key.blob)?.slot ?? new KeySlot(found, key.gone);
    this.#known.set(key.blob, { slot, checkedAt });
    return slot;
  }

  async #readOrCreate(key: RingKey): Promise<KeyObject | 'destroyed'> {
    const { blobs, masterKey } = this.#store;
    const { blob } = key;
    const found = await blobs.get(blob);
    if (found !== undefined) return unwrapKey(masterKey, key, found);
    if (this.#known.has(blob)) throw new Unavailable(`${blob} is missing, although this process has used it`);
    const made = randomBytes(32);
    if (await blobs.putIfAbsent(blob, wrap(masterKey, key, made))) return createSecretKey(made);
    const theirs = await blobs.get(blob);
    if (theirs === undefined) throw new Unavailable(`${blob} was created by another process, but cannot be read`);
    return unwrapKey(masterKey, key, theirs);
  }

  #forget(blob: BlobKey): void {
    this.#gone.add(blob);
    this.#known.get(blob)?.slot.erase();
    this.#known.delete(blob);
  }
}
