import { scrypt } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';

/** The secret that seals a file. */
export type Secret = Readonly<{ kind: 'passphrase'; text: string }> | Readonly<{ kind: 'key'; bytes: Uint8Array }>;

/** scrypt's costs: memory is 128 · N · r bytes. */
export type ScryptCosts = Readonly<{ log2N: number; r: number; p: number }>;

/** 128 MiB and about half a second: OWASP's first choice for scrypt. */
export const SCRYPT: ScryptCosts = { log2N: 17, r: 8, p: 1 };

export const MIN_CHARACTERS = 12;

/** @throws InvalidValue; the text is never quoted */
export const passphrase = (text: string, field = 'passphrase'): Secret => {
  if ([...text].length < MIN_CHARACTERS)
    throw new InvalidValue(field, `at least ${MIN_CHARACTERS} characters`, `${[...text].length} characters`);
  return { kind: 'passphrase', text: text.normalize('NFC') };
};

/** The text of a key file. @throws InvalidValue; the text is never quoted */
export const keyFrom = (text: string, field = 'key file'): Secret => {
  const hex = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new InvalidValue(field, '64 hexadecimal digits (openssl rand -hex 32)', `${hex.length} characters, not only such digits`);
  return { kind: 'key', bytes: Uint8Array.from(Buffer.from(hex, 'hex')) };
};

/** 32 bytes. A passphrase is stretched, a key is used as it is. */
export const stretched = async (secret: Secret, salt: Uint8Array, { log2N, r, p }: ScryptCosts): Promise<Uint8Array> => {
  if (secret.kind === 'key') return secret.bytes;
  const [N, maxmem] = [2 ** log2N, 2 * 128 * 2 ** log2N * r];
  return new Promise((resolve, reject) =>
    scrypt(secret.text, salt, 32, { N, r, p, maxmem }, (error, key) => (error ? reject(error) : resolve(key))),
  );
};
