import { inMemorySigner } from '@palimpsest/test-kit';
import { isSignedBy } from './signatures.ts';

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='];

describe('isSignedBy', () => {
  it('accepts one text of a signature only: any other character anywhere makes it invalid', async () => {
    const [signer, message] = [inMemorySigner(), Buffer.from('message')];
    const signature = Buffer.from(await signer.sign(message)).toString('base64');
    expect(isSignedBy(signer.publicKey, message, signature)).toBe(true);
    for (let at = 0; at < signature.length; at++)
      for (const other of CHARACTERS.filter((each) => each !== signature[at]))
        expect([at, other, isSignedBy(signer.publicKey, message, `${signature.slice(0, at)}${other}${signature.slice(at + 1)}`)]).toEqual([
          at,
          other,
          false,
        ]);
    for (const other of ['', `${signature}A`, ` ${signature}`, signature.replace(/=+$/, '')])
      expect(isSignedBy(signer.publicKey, message, other)).toBe(false);
  });
});
