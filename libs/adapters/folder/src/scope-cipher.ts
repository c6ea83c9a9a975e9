import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed, type ScopeCipher } from '@palimpsest/knowledge/ports';
import type { TenantScope } from '@palimpsest/knowledge/values';
import { openSealed, seal } from './sealed-bytes.ts';

/** Holds the key of a scope in this process. `erase` removes it for every cipher that uses this slot. */
export class KeySlot {
  private key: KeyObject | undefined;
  /** Derived from `key` when they are first needed, by what they are for. */
  private readonly derivedKeys = new Map<string, KeyObject>();

  constructor(key: KeyObject) {
    this.key = key;
  }

  get(scope: TenantScope): KeyObject {
    if (this.key === undefined) throw destroyed(scope);
    return this.key;
  }

  /** A separate key, so that no digest says anything about sealed bytes. */
  forDigests(scope: TenantScope): KeyObject {
    return this.derived(scope, 'palimpsest scope digests');
  }

  forPurpose(scope: TenantScope, purpose: string): KeyObject {
    return this.derived(scope, `palimpsest scope purpose: ${purpose}`);
  }

  private derived(scope: TenantScope, info: string): KeyObject {
    const known = this.derivedKeys.get(info);
    if (known !== undefined) return known;
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', this.get(scope).export(), '', info, 32)));
    this.derivedKeys.set(info, key);
    return key;
  }

  erase(): void {
    this.key = undefined;
    this.derivedKeys.clear();
  }
}

export const destroyed = ({ tenant, scope }: TenantScope): ScopeKeyDestroyed =>
  new ScopeKeyDestroyed(`the key of scope "${scope}" of tenant "${tenant}" was destroyed: content sealed with it can no longer be read`);

export const scopeCipher = (scope: TenantScope, slot: KeySlot): ScopeCipher => {
  // JSON separates the parts unambiguously, and escapes lone surrogates, which UTF-8 would all encode as the same character
  const prefix = JSON.stringify([1, scope.tenant, scope.scope]).slice(0, -1);
  const bound = (context: string): Buffer => Buffer.from(`${prefix},${JSON.stringify(context)}]`);
  const sealer = (key: () => KeyObject): Pick<ScopeCipher, 'seal' | 'open'> => ({
    seal: (plain, context) => seal(key(), plain, bound(context)),
    open: (sealed, context) => {
      const plain = openSealed(key(), sealed, bound(context));
      if (plain === undefined)
        throw new Corrupt(
          `sealed bytes of "${context}" cannot be opened with the key of scope "${scope.scope}" of tenant "${scope.tenant}"`,
        );
      return plain;
    },
  });
  return {
    ...sealer(() => slot.get(scope)),
    digest: (content, purpose) =>
      createHmac('sha256', slot.forDigests(scope)).update(bound(purpose)).update('\n').update(content).digest('hex'),
    derived: (purpose) => sealer(() => slot.forPurpose(scope, purpose)),
  };
};
