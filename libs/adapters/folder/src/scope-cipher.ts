import type { KeyObject } from 'node:crypto';
import { Corrupt, ScopeKeyDestroyed, type ScopeCipher, type TenantScope } from '@palimpsest/knowledge';
import { openSealed, seal } from './sealed-bytes.ts';

/** A scope's key while it lives in this process; `erase` takes it from every cipher that holds it. */
export class KeySlot {
  private key: KeyObject | undefined;

  constructor(key: KeyObject) {
    this.key = key;
  }

  get(scope: TenantScope): KeyObject {
    if (this.key === undefined) throw destroyed(scope);
    return this.key;
  }

  erase(): void {
    this.key = undefined;
  }
}

export const destroyed = ({ tenant, scope }: TenantScope): ScopeKeyDestroyed =>
  new ScopeKeyDestroyed(`the key of scope "${scope}" of tenant "${tenant}" was destroyed: nothing sealed under it can be read again`);

export const scopeCipher = (scope: TenantScope, slot: KeySlot): ScopeCipher => {
  // JSON tells its parts apart whatever they hold, and writes lone surrogates, which UTF-8 would make all alike
  const prefix = JSON.stringify([1, scope.tenant, scope.scope]).slice(0, -1);
  const bound = (context: string): Buffer => Buffer.from(`${prefix},${JSON.stringify(context)}]`);
  return {
    seal: (plain, context) => seal(slot.get(scope), plain, bound(context)),
    open: (sealed, context) => {
      const plain = openSealed(slot.get(scope), sealed, bound(context));
      if (plain === undefined)
        throw new Corrupt(`sealed bytes of "${context}" do not open under scope "${scope.scope}" of tenant "${scope.tenant}"`);
      return plain;
    },
  };
};
