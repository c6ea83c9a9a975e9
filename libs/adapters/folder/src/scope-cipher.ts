import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed, type ScopeCipher } from '@palimpsest/knowledge/ports';
import type { Sealing } from '@palimpsest/knowledge/subjects';
import type { TenantScope } from '@palimpsest/knowledge/values';
import { openSealed, seal } from './sealed-bytes.ts';

/** Holds a key in this process. `erase` removes it for every cipher that uses this slot. `gone`: the error that says so. */
export class KeySlot {
  readonly #gone: () => ScopeKeyDestroyed;
  #key: KeyObject | undefined;
  /** Derived from the key when they are first needed, by what they are for. */
  readonly #derived = new Map<string, KeyObject>();

  constructor(key: KeyObject, gone: () => ScopeKeyDestroyed) {
    this.#key = key;
    this.#gone = gone;
  }

  get(): KeyObject {
    if (this.#key === undefined) throw this.#gone();
    return this.#key;
  }

  /** `salt`: a second key, for a key that cannot be derived without both (RFC 5869). */
  derived(info: string, salt?: KeyObject): KeyObject {
    const key = this.get();
    const known = this.#derived.get(info);
    if (known !== undefined) return known;
    const made = createSecretKey(new Uint8Array(hkdfSync('sha256', key.export(), salt?.export() ?? '', info, 32)));
    this.#derived.set(info, made);
    return made;
  }

  erase(): void {
    this.#key = undefined;
    this.#derived.clear();
  }
}

/** Keys for what a cipher does. */
export type CipherKeys = Readonly<{ sealing: () => KeyObject; digests: () => KeyObject; purpose: (name: string) => KeyObject }>;

/** A separate key for digests, so that no digest says anything about sealed bytes. */
export const keysOfScope = (scope: KeySlot): CipherKeys => ({
  sealing: () => scope.get(),
  digests: () => scope.derived('palimpsest scope digests'),
  purpose: (name) => scope.derived(`palimpsest scope purpose: ${name}`),
});

/** Derived from both keys, and kept with that of the data subject; none of them works once either is destroyed. */
export const keysOfSubject = (scope: KeySlot, subject: KeySlot, { tenant, scope: name }: TenantScope): CipherKeys => {
  const derived = (info: string): KeyObject =>
    subject.derived(`palimpsest data subject: ${JSON.stringify([tenant, name, info])}`, scope.get());
  return { sealing: () => derived('seal'), digests: () => derived('digests'), purpose: (purpose) => derived(`purpose: ${purpose}`) };
};

export const destroyed = ({ tenant, scope }: TenantScope): ScopeKeyDestroyed =>
  new ScopeKeyDestroyed(`the key of scope "${scope}" of tenant "${tenant}" was destroyed: content sealed with it can no longer be read`);

const FORMAT_OF_SUBJECT = 2;

export const scopeCipher = ({ tenant, scope, subject }: Sealing, keys: CipherKeys): ScopeCipher => {
  const head = subject === undefined ? undefined : Buffer.concat([Buffer.of(FORMAT_OF_SUBJECT), Buffer.from(subject, 'hex')]);
  // JSON separates the parts unambiguously, and escapes lone surrogates, which UTF-8 would all encode as the same character
  const prefix = JSON.stringify(subject === undefined ? [1, tenant, scope] : [2, tenant, scope, subject]).slice(0, -1);
  const bound = (context: string): Buffer => Buffer.from(`${prefix},${JSON.stringify(context)}]`);
  const sealer = (key: () => KeyObject): Pick<ScopeCipher, 'seal' | 'open'> => ({
    seal: (plain, context) => seal(key(), plain, bound(context), head),
    open: (sealed, context) => {
      const plain = openSealed(key(), sealed, bound(context), head);
      if (plain === undefined)
        throw new Corrupt(`sealed bytes of "${context}" cannot be opened with the key of scope "${scope}" of tenant "${tenant}"`);
      return plain;
    },
  });
  return {
    ...sealer(() => keys.sealing()),
    digest: (content, purpose) => createHmac('sha256', keys.digests()).update(bound(purpose)).update('\n').update(content).digest('hex'),
    derived: (purpose) => sealer(() => keys.purpose(purpose)),
  };
};
