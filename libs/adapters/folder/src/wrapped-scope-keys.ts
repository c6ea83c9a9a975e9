import { createSecretKey } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey, type BlobStore, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import { scopeKey, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { KeyRing, type RingKey, type Store } from './key-ring.ts';
import { destroyed, keysOfScope, keysOfSubject, scopeCipher, type KeySlot } from './scope-cipher.ts';
import { ringKeyOf, subjectIn, WrappedSubjectKeys } from './wrapped-subject-keys.ts';

export type ScopeKeysOptions = Readonly<{
  /** Stores the wrapped keys as `keys/<tenant>/<scope>`, and those of data subjects below `keys/<tenant>`. */
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

class WrappedScopeKeys implements ScopeKeys {
  readonly subjects: WrappedSubjectKeys;
  readonly #store: Store;
  readonly #ring: KeyRing;
  /** Ciphers of each slot: of its scope, or of a data subject by scope. */
  readonly #ciphers = new WeakMap<KeySlot, Map<string, ScopeCipher>>();

  constructor({ blobs, masterKey, recheckMs = 30_000, now = () => performance.now() }: ScopeKeysOptions) {
    if (masterKey.length !== 32) throw new InvalidValue('masterKey', '32 bytes', `${masterKey.length} bytes`);
    this.#store = { blobs, masterKey: createSecretKey(masterKey), recheckMs, now };
    this.#ring = new KeyRing(this.#store);
    this.subjects = new WrappedSubjectKeys(this.#store, this.#ring);
  }

  async cipher({ tenant, scope, subject }: Sealing): Promise<ScopeCipher> {
    const of = { tenant, scope };
    const ofScope = await this.#ring.slot(keyOf(of));
    if (subject === undefined) return this.#cipher(ofScope, of, () => scopeCipher(of, keysOfScope(ofScope)));
    const ofSubject = await this.#ring.slot(ringKeyOf({ tenant, subject }));
    return this.#cipher(ofSubject, of, () => scopeCipher({ ...of, subject }, keysOfSubject(ofScope, ofSubject, of)));
  }

  destroy(scope: TenantScope): Promise<void> {
    return this.#ring.destroy(keyOf(scope));
  }

  async *destroyed(): AsyncIterable<TenantScope> {
    for await (const blob of this.#store.blobs.list('keys')) {
      const scope = scopeIn(blob);
      if (scope && (await this.#ring.isDestroyed(blob))) yield scope;
    }
  }

  async check(needed: readonly TenantScope[] = []): Promise<readonly string[]> {
    const damage: string[] = [];
    const stored = new Set<string>();
    for await (const blob of this.#store.blobs.list('keys')) {
      const [scope, subject] = [scopeIn(blob), subjectIn(blob)];
      if (scope) stored.add(scopeKey(scope));
      const key = scope ? keyOf(scope) : subject && ringKeyOf(subject);
      const problem = key && (await this.#ring.problem(key));
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

  #cipher(slot: KeySlot, { scope }: TenantScope, make: () => ScopeCipher): ScopeCipher {
    const known = this.#ciphers.get(slot) ?? new Map<string, ScopeCipher>();
    this.#ciphers.set(slot, known);
    const cipher = known.get(scope) ?? make();
    known.set(scope, cipher);
    return cipher;
  }
}

const keyOf = (of: TenantScope): RingKey => ({
  blob: blobKey(`keys/${of.tenant}/${of.scope}`),
  bound: ['scope key', 1, of.tenant, of.scope],
  named: `the key of scope "${of.scope}" of tenant "${of.tenant}"`,
  gone: () => destroyed(of),
});

/** Returns undefined for a name that is not the name of a scope's key. */
const scopeIn = (blob: BlobKey): TenantScope | undefined => {
  const [, tenant, scope, ...more] = blob.split('/');
  try {
    return more.length > 0 ? undefined : { tenant: tenantId(tenant), scope: vectorScope(scope) };
  } catch {
    return undefined;
  }
};
