import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Corrupt, ScopeKeyDestroyed, tenantId, vectorScope,
  type ScopeCipher, type ScopeKeys, type TenantScope,
} from '@palimpsest/knowledge';

/** Fresh keys over an empty store, and other processes' views of the same store. */
export type ScopeKeysUnderTest = Readonly<{
  keys: ScopeKeys;
  /** What another process (or this one after a restart) with the same master key has; the first stays usable. */
  reopen(): Promise<ScopeKeys>;
  /** The same store under another master key. */
  reopenWithWrongMasterKey(): Promise<ScopeKeys>;
  dispose(): Promise<void>;
}>;

export const describeScopeKeys = (name: string, open: () => Promise<ScopeKeysUnderTest>): void =>
  describe(`${name} keeps the promises of ScopeKeys`, () => {
    let under: ScopeKeysUnderTest;
    let keys: ScopeKeys;
    let cipher: ScopeCipher;
    beforeEach(async () => {
      under = await open();
      keys = under.keys;
      cipher = await keys.cipher(alice);
    });
    afterEach(() => under.dispose());

    it('opens what it sealed, whatever the bytes and the context', () =>
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 3_000 }), anyText, (plain, context) => {
          expect(cipher.open(cipher.seal(plain, context), context)).toEqual(plain);
        }),
      ));

    it('seals as 1 byte format, 12 bytes nonce, ciphertext and 16 bytes tag, with a new nonce each time', () => {
      const sealed = Array.from({ length: 100 }, () => cipher.seal(text, 'chunk'));
      expect(new Set(sealed.map((one) => one[0]))).toEqual(new Set([1]));
      expect(new Set(sealed.map((one) => one.length))).toEqual(new Set([1 + 12 + text.length + 16]));
      expect(new Set(sealed.map((one) => Buffer.from(one.subarray(1, 13)).toString('hex'))).size).toBe(100);
    });

    it('does not leave the plain text to be read', () => {
      expect(Buffer.from(cipher.seal(text, 'chunk')).includes(Buffer.from(text))).toBe(false);
    });

    it('opens into memory of its own, which a Float32Array may lie over', () => {
      const vector = new Uint8Array(new Float32Array([0.25, -1]).buffer);
      const opened = cipher.open(cipher.seal(vector, 'vector'), 'vector');
      expect([...new Float32Array(opened.buffer, opened.byteOffset, 2)]).toEqual([0.25, -1]);
    });

    it('does not open when any one bit was flipped', () => {
      const sealed = cipher.seal(text.subarray(0, 12), 'chunk');
      for (let bit = 0; bit < sealed.length * 8; bit += 1) {
        const flipped = sealed.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(() => cipher.open(flipped, 'chunk')).toThrow(Corrupt);
      }
    });

    it('does not open when it was cut, at any place, or is no sealed text at all', () => {
      const sealed = cipher.seal(text, 'chunk');
      for (let length = 0; length < sealed.length; length += 1)
        expect(() => cipher.open(sealed.subarray(0, length), 'chunk')).toThrow(Corrupt);
    });

    it('does not open under another context, however alike', () =>
      fc.assert(
        fc.property(anyText, anyText, (sealedAs, openedAs) => {
          fc.pre(sealedAs !== openedAs);
          expect(() => cipher.open(cipher.seal(text, sealedAs), openedAs)).toThrow(Corrupt);
        }),
        { examples: [['a"', 'a\\"'], ['\ud800', '\ud801'], ['chunk', 'chunk '], ['', '\u0000']] },
      ));

    it.each([
      ['another scope', { ...TENANT_A, scope: vectorScope('user:bob') }],
      ['the same scope of another tenant', { ...TENANT_B, scope: vectorScope('user:alice') }],
      ['a scope whose name is the same but for case', { ...TENANT_A, scope: vectorScope('user:Alice') }],
    ])('does not open under %s', async (_, elsewhere) => {
      const other = await keys.cipher(elsewhere);
      expect(() => other.open(cipher.seal(text, 'chunk'), 'chunk')).toThrow(Corrupt);
    });

    it('uses one key per scope, also after a restart', async () => {
      const later = await (await under.reopen()).cipher(alice);
      expect(later.open(cipher.seal(text, 'chunk'), 'chunk')).toEqual(text);
      expect(cipher.open(later.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('agrees on one key when several processes use a scope for the first time at once', async () => {
      const processes = [keys, ...(await Promise.all([under.reopen(), under.reopen(), under.reopen()]))];
      const ciphers = await Promise.all([...processes, ...processes].map((process) => process.cipher(team)));
      for (const one of ciphers)
        for (const other of ciphers) expect(other.open(one.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('says that the master key is the wrong one, and makes no new key', async () => {
      const wrong = await under.reopenWithWrongMasterKey();
      await expect(wrong.cipher(alice)).rejects.toThrow(/master key .*is not the one that wrapped this scope's key/);
      const later = await (await under.reopen()).cipher(alice);
      expect(later.open(cipher.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('throws ScopeKeyDestroyed for ever after the key was destroyed', async () => {
      await keys.destroy(alice);
      await expect(keys.cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
      await expect((await under.reopen()).cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
      await expect(keys.cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
    });

    it('stops ciphers that were handed out before the key was destroyed', async () => {
      const sealed = cipher.seal(text, 'chunk');
      await keys.destroy(alice);
      expect(() => cipher.open(sealed, 'chunk')).toThrow(ScopeKeyDestroyed);
      expect(() => cipher.seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
    });

    it('hands out no working cipher when a key is destroyed while it is being made', async () => {
      const beginning = keys.cipher(team).catch((error: unknown) => error);
      await keys.destroy(team);
      const begun = await beginning;
      if (begun instanceof Error) expect(begun).toBeInstanceOf(ScopeKeyDestroyed);
      else expect(() => (begun as ScopeCipher).seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
      await expect(keys.cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
    });

    it('destroys the key of one scope of one tenant only', async () => {
      const others = [{ ...TENANT_A, scope: vectorScope('user:bob') }, { ...TENANT_B, scope: alice.scope }];
      const sealed = await Promise.all(others.map(async (other) => (await keys.cipher(other)).seal(text, 'chunk')));
      await keys.destroy(alice);
      for (const [i, other] of others.entries())
        expect((await keys.cipher(other)).open(sealed[i] ?? new Uint8Array(), 'chunk')).toEqual(text);
    });

    it('destroys what was never used, and what was destroyed before', async () => {
      await keys.destroy(team);
      await keys.destroy(team);
      await expect(keys.cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
      await expect((await under.reopen()).cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
    });
  });

const TENANT_A = { tenant: tenantId('acme') };
const TENANT_B = { tenant: tenantId('acme-b') };
const alice: TenantScope = { ...TENANT_A, scope: vectorScope('user:alice') };
const team: TenantScope = { ...TENANT_A, scope: vectorScope('team:Search.2@x') };
const text = new TextEncoder().encode('A palimpsest is a page that was written over.');
/** Any string that JavaScript can hold, lone surrogates too. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
