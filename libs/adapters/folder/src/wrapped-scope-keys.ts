import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import { scopeKey, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { destroyed, KeySlot, scopeCipher } from './scope-cipher.ts';
import { isTombstone, tombstone, unwrapKey, wrapKey, WrongMasterKey } from './wrapped-key.ts';

export type ScopeKeysOptions = Readonly<{
  /** Stores the wrapped keys as `keys/<tenant>/<scope>`. */
  blobs: BlobStore;
  /** 32 bytes. */
  masterKey: Uint8Array;
  /**
   * How long (in milliseconds) `cipher` uses a cached key without checking whether another process destroyed it; default 30,000.
   * A destruction in this process takes effect immediately.
   */
  recheckMs?: number;
  /** Milliseconds of a monotonic clock; default `performance.now`. */
  now?: () => number;
}>;

/** @throws InvalidValue when the master key does not have 32 bytes */
export const openScopeKeys = (options: ScopeKeysOptions): ScopeKeys => new WrappedScopeKeys(options);

type Known = Readonly<{ slot: KeySlot; cipher: ScopeCipher; checkedAt: number }>;

class WrappedScopeKeys implements ScopeKeys {
  private readonly blobs: BlobStore;
  private readonly masterKey: KeyObject;
  private readonly recheckMs: number;
  private readonly now: () => number;
  private readonly known = new Map<string, Known>();
  private readonly loading = new Map<string, Promise<ScopeCipher>>();
  private readonly gone = new Set<string>();

  constructor({ blobs, masterKey, recheckMs = 30_000, now = () => performance.now() }: ScopeKeysOptions) {
    if (masterKey.length !== 32) throw new InvalidValue('masterKey', '32 bytes', `${masterKey.length} bytes`);
    this.blobs = blobs;
    this.masterKey = createSecretKey(masterKey);
    this.recheckMs = recheckMs;
    this.now = now;
  }

  async cipher(scope: TenantScope): Promise<ScopeCipher> {
    const id = scopeKey(scope);
    if (this.gone.has(id)) throw destroyed(scope);
    const known = this.known.get(id);
    if (known !== undefined && this.now() - known.checkedAt < this.recheckMs) return known.cipher;
    const loading = this.loading.get(id) ?? this.load(scope, id).finally(() => this.loading.delete(id));
    this.loading.set(id, loading);
    return loading;
  }

  async destroy(scope: TenantScope): Promise<void> {
    await this.blobs.put(nameOf(scope), tombstone());
    this.forget(scopeKey(scope));
  }

  async *destroyed(): AsyncIterable<TenantScope> {
    for await (const name of this.blobs.list('keys')) {
      const scope = scopeOf(name);
      if (scope && (await this.isDestroyed(name))) yield scope;
    }
  }

  async check(needed: readonly TenantScope[] = []): Promise<readonly string[]> {
    const damage: string[] = [];
    const stored = new Set<string>();
    for await (const name of this.blobs.list('keys')) {
      const scope = scopeOf(name);
      if (scope === undefined) continue;
      stored.add(scopeKey(scope));
      const problem = await this.problemOf(name, scope);
      if (problem !== undefined) damage.push(`${problem}. Restore blobs/keys from a backup`);
    }
    const missing = needed.filter((scope) => !stored.has(scopeKey(scope)));
    return [
      ...damage,
      ...missing.map(
        ({ tenant, scope }) => `the key of scope "${scope}" of tenant "${tenant}" is missing. Restore blobs/keys from a backup`,
      ),
    ];
  }

  /** A damaged key is none that was destroyed: `check` reports it. */
  private async isDestroyed(name: BlobKey): Promise<boolean> {
    try {
      const found = await this.blobs.get(name);
      return found !== undefined && isTombstone(found);
    } catch (error) {
      if (error instanceof Corrupt) return false;
      throw error;
    }
  }

  private async problemOf(name: BlobKey, scope: TenantScope): Promise<string | undefined> {
    try {
      const found = await this.blobs.get(name);
      if (found !== undefined) unwrapKey(this.masterKey, scope, found);
      return undefined;
    } catch (error) {
      if (error instanceof Corrupt || error instanceof WrongMasterKey) return error.message;
      throw error;
    }
  }

  private async load(scope: TenantScope, id: string): Promise<ScopeCipher> {
    const checkedAt = this.now();
    const key = await this.readOrCreate(scope);
    // the key may have been destroyed while this call was waiting for the disk
    if (key === 'destroyed' || this.gone.has(id)) {
      this.forget(id);
      throw destroyed(scope);
    }
    const before = this.known.get(id);
    const slot = before?.slot ?? new KeySlot(key);
    const cipher = before?.cipher ?? scopeCipher(scope, slot);
    this.known.set(id, { slot, cipher, checkedAt });
    return cipher;
  }

  private async readOrCreate(scope: TenantScope): Promise<KeyObject | 'destroyed'> {
    const name = nameOf(scope);
    const found = await this.blobs.get(name);
    if (found !== undefined) return unwrapKey(this.masterKey, scope, found);
    if (this.known.has(scopeKey(scope))) throw new Unavailable(`${name} is missing, although this process has used it`);
    const key = createSecretKey(randomBytes(32));
    if (await this.blobs.putIfAbsent(name, wrapKey(this.masterKey, scope, key))) return key;
    const theirs = await this.blobs.get(name);
    if (theirs === undefined) throw new Unavailable(`${name} was created by another process, but cannot be read`);
    return unwrapKey(this.masterKey, scope, theirs);
  }

  private forget(id: string): void {
    this.gone.add(id);
    this.known.get(id)?.slot.erase();
    this.known.delete(id);
  }
}

const nameOf = ({ tenant, scope }: TenantScope): BlobKey => blobKey(`keys/${tenant}/${scope}`);

/** Returns undefined for a name that is not the name of a scope's key. */
const scopeOf = (name: BlobKey): TenantScope | undefined => {
  const [, tenant, scope] = name.split('/');
  try {
    return { tenant: tenantId(tenant), scope: vectorScope(scope) };
  } catch {
    return undefined;
  }
};
