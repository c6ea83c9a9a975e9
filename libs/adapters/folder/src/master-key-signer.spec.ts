import { InvalidValue } from '@palimpsest/knowledge/errors';
import { describeSigner } from '@palimpsest/test-kit';
import { masterKeySigner } from './master-key-signer.ts';

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

describeSigner('masterKeySigner', async () => ({
  signer: masterKeySigner(key(1)),
  again: masterKeySigner(key(1)),
  other: masterKeySigner(key(2)),
}));

describe('The signing key of an installation', () => {
  it('never changes with a version of Palimpsest: signatures of earlier versions stay valid', () => {
    expect(Buffer.from(masterKeySigner(key(1)).publicKey).toString('hex')).toBe(
      '601fd3319ce23fcc6e3d5f56a583fc8a749aa01f6425899130ac74caa6458df6',
    );
  });

  it('is refused for a master key of another length', () => expect(() => masterKeySigner(key(1).subarray(1))).toThrow(InvalidValue));
});
