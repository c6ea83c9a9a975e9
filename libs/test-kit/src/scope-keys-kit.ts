import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SEALED_EXTRA } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed, type ScopeCipher, type ScopeKeys } from '@palimpsest/knowledge/ports';
import { subjectId, subjectOf, type SubjectKey } from '@palimpsest/knowledge/subjects';
import { tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';

/** New keys on an empty store, and other processes' views of the same store. */
export type ScopeKeysUnderTest = Readonly<{
  keys: ScopeKeys;
  /** The keys in another process, or after a restart, with the same master key; the first instance stays usable. */
  reopen(): Promise<ScopeKeys>;
  /** The same store with another master key. */
  reopenWithWrongMasterKey(): Promise<ScopeKeys>;
  dispose(): Promise<void>;
}>;

export const describeScopeKeys = (name: string, open: () => Promise<ScopeKeysUnderTest>): void =>
  describe(`${name} fulfils the contract of ScopeKeys`, () => {
    let under: ScopeKeysUnderTest;
    let keys: ScopeKeys;
    let cipher: ScopeCipher;
    beforeEach(async () => {
      under = await open();
      keys = under.keys;
      cipher = await keys.cipher(alice);
    });
    afterEach(() => under.dispose());

    it('opens what it sealed, for any bytes and any context', () =>
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

    it('does not reveal the plain text', () => {
      expect(Buffer.from(cipher.seal(text, 'chunk')).includes(Buffer.from(text))).toBe(false);
    });

    it('opens into new memory that is aligned for a Float32Array', () => {
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

    it('does not open truncated data, or data that was never sealed', () => {
      const sealed = cipher.seal(text, 'chunk');
      for (let length = 0; length < sealed.length; length += 1)
        expect(() => cipher.open(sealed.subarray(0, length), 'chunk')).toThrow(Corrupt);
    });

    it('does not open with another context, however similar', () =>
      fc.assert(
        fc.property(anyText, anyText, (sealedAs, openedAs) => {
          fc.pre(sealedAs !== openedAs);
          expect(() => cipher.open(cipher.seal(text, sealedAs), openedAs)).toThrow(Corrupt);
        }),
        {
          examples: [
            ['a"', 'a\\"'],
            ['\ud800', '\ud801'],
            ['chunk', 'chunk '],
            ['', '\u0000'],
          ],
        },
      ));

    it.each([
      ['another scope', { ...TENANT_A, scope: vectorScope('user:bob') }],
      ['the same scope of another tenant', { ...TENANT_B, scope: vectorScope('user:alice') }],
      ['a scope whose name is the same but for case', { ...TENANT_A, scope: vectorScope('user:Alice') }],
    ])('does not open for %s', async (_, elsewhere) => {
      const other = await keys.cipher(elsewhere);
      expect(() => other.open(cipher.seal(text, 'chunk'), 'chunk')).toThrow(Corrupt);
    });

    it('digests equal content to equal digests, also after a restart', async () => {
      const later = await (await under.reopen()).cipher(alice);
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), anyText, async (content, purpose) => {
          const digest = cipher.digest(content, purpose);
          expect(digest).toMatch(/^[0-9a-f]{64}$/);
          expect(later.digest(content, purpose)).toBe(digest);
        }),
      );
      expect(cipher.digest('fünf', 'text')).toBe(cipher.digest(Buffer.from('fünf'), 'text'));
    });

    it('digests to something else for another content, purpose, scope or tenant', async () => {
      const elsewhere = await Promise.all(
        [
          { ...TENANT_A, scope: vectorScope('user:bob') },
          { ...TENANT_B, scope: vectorScope('user:alice') },
        ].map((scope) => keys.cipher(scope)),
      );
      const digests = [
        cipher.digest(text, 'checksum'),
        cipher.digest(text, 'content'),
        cipher.digest(text.subarray(1), 'checksum'),
        cipher.digest('b', 'a\n'),
        cipher.digest('\nb', 'a'),
        ...elsewhere.map((one) => one.digest(text, 'checksum')),
      ];
      expect(new Set(digests).size).toBe(digests.length);
    });

    it('seals under a separate key for each purpose, the same after a restart', async () => {
      const sealed = cipher.derived('files').seal(text, 'chunk');
      expect((await (await under.reopen()).cipher(alice)).derived('files').open(sealed, 'chunk')).toEqual(text);
      const elsewhere = await keys.cipher({ ...TENANT_A, scope: vectorScope('user:bob') });
      for (const other of [cipher, cipher.derived('other files'), elsewhere.derived('files')])
        expect(() => other.open(sealed, 'chunk')).toThrow(Corrupt);
      expect(() => cipher.derived('files').open(sealed, 'other chunk')).toThrow(Corrupt);
    });

    it('uses one key per scope, also after a restart', async () => {
      const later = await (await under.reopen()).cipher(alice);
      expect(later.open(cipher.seal(text, 'chunk'), 'chunk')).toEqual(text);
      expect(cipher.open(later.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('agrees on one key when several processes use a new scope concurrently', async () => {
      const processes = [keys, ...(await Promise.all([under.reopen(), under.reopen(), under.reopen()]))];
      const ciphers = await Promise.all([...processes, ...processes].map((process) => process.cipher(team)));
      for (const one of ciphers) for (const other of ciphers) expect(other.open(one.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('reports a wrong master key, and creates no new key', async () => {
      const wrong = await under.reopenWithWrongMasterKey();
      await expect(wrong.cipher(alice)).rejects.toThrow(/master key .*is not the one that wrapped this scope's key/);
      const later = await (await under.reopen()).cipher(alice);
      expect(later.open(cipher.seal(text, 'chunk'), 'chunk')).toEqual(text);
    });

    it('throws ScopeKeyDestroyed permanently after the key was destroyed', async () => {
      await keys.destroy(alice);
      await expect(keys.cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
      await expect((await under.reopen()).cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
      await expect(keys.cipher(alice)).rejects.toThrow(ScopeKeyDestroyed);
    });

    it('lists the scopes whose key was destroyed, and no others', async () => {
      await keys.cipher(team);
      await keys.destroy(alice);
      const listed: TenantScope[] = [];
      for await (const scope of (await under.reopen()).destroyed()) listed.push(scope);
      expect(listed).toEqual([alice]);
    });

    it('disables ciphers that were returned before the key was destroyed', async () => {
      const sealed = cipher.seal(text, 'chunk');
      const derived = cipher.derived('files');
      expect(derived.seal(text, 'chunk')).toHaveLength(text.length + SEALED_EXTRA);
      await keys.destroy(alice);
      expect(() => derived.seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
      expect(() => cipher.derived('files').seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
      expect(() => cipher.open(sealed, 'chunk')).toThrow(ScopeKeyDestroyed);
      expect(() => cipher.seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
      expect(() => cipher.digest(text, 'chunk')).toThrow(ScopeKeyDestroyed);
    });

    it('returns no working cipher when a key is destroyed while it is being created', async () => {
      const beginning = keys.cipher(team).catch((error: unknown) => error);
      await keys.destroy(team);
      const begun = await beginning;
      if (begun instanceof Error) expect(begun).toBeInstanceOf(ScopeKeyDestroyed);
      else expect(() => (begun as ScopeCipher).seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
      await expect(keys.cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
    });

    it('destroys the key of one scope of one tenant only', async () => {
      const others = [
        { ...TENANT_A, scope: vectorScope('user:bob') },
        { ...TENANT_B, scope: alice.scope },
      ];
      const sealed = await Promise.all(others.map(async (other) => (await keys.cipher(other)).seal(text, 'chunk')));
      await keys.destroy(alice);
      for (const [i, other] of others.entries())
        expect((await keys.cipher(other)).open(sealed[i] ?? new Uint8Array(), 'chunk')).toEqual(text);
    });

    describe('keys of data subjects', () => {
      const { tenant } = alice;
      let subject: SubjectKey;
      let ofAnn: ScopeCipher;
      beforeEach(async () => {
        subject = await keys.subjects.of(tenant, ANN);
        ofAnn = await keys.cipher({ ...alice, subject });
      });

      it('seals as format 2 with the key of the person, and opens it again, also after a restart', async () => {
        const sealed = ofAnn.seal(text, 'chunk');
        expect(sealed).toHaveLength(text.length + SEALED_EXTRA + 16);
        expect(sealed[0]).toBe(2);
        expect(subjectOf(sealed)).toBe(subject);
        expect(subjectOf(cipher.seal(text, 'chunk'))).toBeUndefined();
        const later = await (await under.reopen()).cipher({ ...alice, subject });
        expect(later.open(sealed, 'chunk')).toEqual(text);
        expect(later.digest(text, 'checksum')).toBe(ofAnn.digest(text, 'checksum'));
        expect(later.derived('files').open(ofAnn.derived('files').seal(text, 'part'), 'part')).toEqual(text);
      });

      it('needs both keys: neither that of the scope nor that of the person opens it alone', async () => {
        const sealed = ofAnn.seal(text, 'chunk');
        const bob = await keys.cipher({ ...alice, subject: await keys.subjects.of(tenant, BOB) });
        const elsewhere = await keys.cipher({ ...alice, scope: vectorScope('user:bob'), subject });
        for (const other of [cipher, bob, elsewhere]) {
          expect(() => other.open(sealed, 'chunk')).toThrow(Corrupt);
          expect(other.digest(text, 'checksum')).not.toBe(ofAnn.digest(text, 'checksum'));
        }
        expect(() => ofAnn.open(cipher.seal(text, 'chunk'), 'chunk')).toThrow(Corrupt);
        expect(() => ofAnn.open(sealed.with(1, (sealed[1] ?? 0) ^ 1), 'chunk')).toThrow(Corrupt);
      });

      it('gives a person one random key, whichever process asks first, and says nothing of persons who have none', async () => {
        const other = await under.reopen();
        const made = await Promise.all([keys, other, await under.reopen()].map(({ subjects }) => subjects.of(tenant, BOB)));
        expect(new Set(made).size).toBe(1);
        expect(await other.subjects.of(tenant, ANN)).toBe(subject);
        expect(await keys.subjects.of(TENANT_B.tenant, ANN)).not.toBe(subject);
        expect(await other.subjects.find(tenant, ANN)).toBe(subject);
        expect(await keys.subjects.find(tenant, subjectId('eve'))).toBeUndefined();
      });

      it('opens nothing of a person after their key was destroyed, in any scope, and everything of others', async () => {
        const sealed = ofAnn.seal(text, 'chunk');
        const bob = await keys.cipher({ ...alice, subject: await keys.subjects.of(tenant, BOB) });
        await keys.subjects.destroy({ tenant, subject });
        expect(() => ofAnn.open(sealed, 'chunk')).toThrow(ScopeKeyDestroyed);
        expect(() => ofAnn.digest(text, 'checksum')).toThrow(ScopeKeyDestroyed);
        await expect(keys.cipher({ ...alice, subject })).rejects.toThrow(ScopeKeyDestroyed);
        await expect((await under.reopen()).cipher({ ...alice, scope: team.scope, subject })).rejects.toThrow(ScopeKeyDestroyed);
        expect(bob.open(bob.seal(text, 'chunk'), 'chunk')).toEqual(text);
        expect(cipher.open(cipher.seal(text, 'chunk'), 'chunk')).toEqual(text);
        const listed: unknown[] = [];
        for await (const one of (await under.reopen()).subjects.destroyed()) listed.push(one);
        expect(listed).toEqual([{ tenant, subject }]);
        for await (const scope of keys.destroyed()) expect(scope).toBeUndefined();
      });

      it('opens nothing of a person in a scope whose key was destroyed', async () => {
        const elsewhere = await keys.cipher({ ...team, subject });
        await keys.destroy(alice);
        expect(() => ofAnn.seal(text, 'chunk')).toThrow(ScopeKeyDestroyed);
        await expect(keys.cipher({ ...alice, subject })).rejects.toThrow(ScopeKeyDestroyed);
        expect(elsewhere.open(elsewhere.seal(text, 'chunk'), 'chunk')).toEqual(text);
      });

      it('forgets all persons of a tenant, and no one of another', async () => {
        const elsewhere = await keys.subjects.of(TENANT_B.tenant, ANN);
        await keys.subjects.forgetAll(tenant);
        expect(await (await under.reopen()).subjects.find(tenant, ANN)).toBeUndefined();
        expect(await keys.subjects.find(TENANT_B.tenant, ANN)).toBe(elsewhere);
      });

      it('forgets who had a key; a person who comes back gets another one', async () => {
        await keys.subjects.of(tenant, BOB);
        await keys.subjects.destroy({ tenant, subject });
        expect(await keys.subjects.of(tenant, ANN)).not.toBe(subject);
        const again = await keys.subjects.of(tenant, ANN);
        await keys.subjects.forget({ tenant, subject: again }, BOB);
        expect(await keys.subjects.find(tenant, ANN)).toBe(again);
        await keys.subjects.forget({ tenant, subject: again }, ANN);
        expect(await (await under.reopen()).subjects.find(tenant, ANN)).toBeUndefined();
        expect(await keys.subjects.find(tenant, BOB)).toBeDefined();
        const third = await keys.subjects.of(tenant, ANN);
        expect(third).not.toBe(again);
        await keys.subjects.forget({ tenant, subject: third });
        expect(await keys.subjects.find(tenant, ANN)).toBeUndefined();
      });
    });

    it('destroys keys that were never used or already destroyed', async () => {
      await keys.destroy(team);
      await keys.destroy(team);
      await expect(keys.cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
      await expect((await under.reopen()).cipher(team)).rejects.toThrow(ScopeKeyDestroyed);
    });
  });

const TENANT_A = { tenant: tenantId('acme') };
const TENANT_B = { tenant: tenantId('acme-b') };
const ANN = subjectId('ann@example.org');
const BOB = subjectId('bob');
const alice: TenantScope = { ...TENANT_A, scope: vectorScope('user:alice') };
const team: TenantScope = { ...TENANT_A, scope: vectorScope('team:Search.2@x') };
const text = new TextEncoder().encode('A palimpsest is a page that was written over.');
/** Any JavaScript string, including lone surrogates. */
const anyText = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
