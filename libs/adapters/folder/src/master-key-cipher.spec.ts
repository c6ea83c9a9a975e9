import { randomBytes } from 'node:crypto';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import { masterKeyCipher } from './master-key-cipher.ts';

const masterKey = randomBytes(32);
const text = Buffer.from('text');

describe('masterKeyCipher', () => {
  it('opens what any process with the master key sealed, for the same context only', () => {
    const sealed = masterKeyCipher(masterKey).seal(text, 'latest');
    expect(Buffer.from(masterKeyCipher(masterKey).open(sealed, 'latest'))).toEqual(text);
    expect(() => masterKeyCipher(masterKey).open(sealed, 'other')).toThrow(Corrupt);
    expect(() => masterKeyCipher(randomBytes(32)).open(sealed, 'latest')).toThrow(Corrupt);
  });

  it('needs a key of 32 bytes', () => {
    expect(() => masterKeyCipher(randomBytes(16))).toThrow(InvalidValue);
  });
});
