import { verify, createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Signer } from '@palimpsest/knowledge/ports';

/** A signer, the same one in another process, and one of another installation. */
export type SignersUnderTest = Readonly<{ signer: Signer; again: Signer; other: Signer }>;

export const describeSigner = (name: string, open: () => Promise<SignersUnderTest>): void =>
  describe(`${name} fulfils the contract of Signer`, () => {
    it('signs with Ed25519', async () => {
      const { signer } = await open();
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), async (message, other) => {
          const signature = await signer.sign(message);
          expect([signer.publicKey.length, signature.length]).toEqual([32, 64]);
          expect(isSigned(signer, message, signature)).toBe(true);
          expect(isSigned(signer, other, signature)).toBe(Buffer.from(other).equals(message));
        }),
      );
    });

    it('has the same key in every process of an installation, and another one in every other installation', async () => {
      const { signer, again, other } = await open();
      const message = Buffer.from('message');
      expect(again.publicKey).toEqual(signer.publicKey);
      expect(other.publicKey).not.toEqual(signer.publicKey);
      expect(isSigned(again, message, await signer.sign(message))).toBe(true);
      expect(isSigned(other, message, await signer.sign(message))).toBe(false);
    });
  });

/** JSON Web Key of the curve (RFC 8037). */
const isSigned = ({ publicKey }: Signer, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' }),
    signature,
  );
