import { SEALED_EXTRA } from '@palimpsest/contracts';
import type { ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';

const cipher: ScopeCipher = {
  seal: (plain) => {
    const sealed = new Uint8Array(plain.length + SEALED_EXTRA);
    sealed.set(plain, SEALED_EXTRA);
    return sealed;
  },
  open: (sealed) => new Uint8Array(sealed.subarray(SEALED_EXTRA)),
  digest: () => '0'.repeat(64),
  derived: () => cipher,
};

/** Keys that seal nothing, with the lengths of sealed bytes: to see what would be in files without sealing, and what sealing costs. */
export const TRANSPARENT_KEYS: Pick<ScopeKeys, 'cipher'> = { cipher: () => Promise.resolve(cipher) };
