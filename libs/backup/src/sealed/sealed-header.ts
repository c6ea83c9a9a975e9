import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SCRYPT, stretched, type ScryptCosts, type Secret } from './secret.ts';
import { UnusableFile, WrongSecret } from './refusal.ts';

/**
 * The unencrypted header of a sealed file, 84 bytes: "PLMPSEAL", format, purpose, kind of secret, scrypt's log2 N, r and p, 2 bytes
 * of zeros, salt (32), key check (32), CRC-32 of all that (4, big-endian). Magic, format and CRC keep their offsets in every future
 * format, so that damage, a newer format and a wrong secret can be distinguished.
 */
export const HEADER_BYTES = 84;
const FORMAT = 1;
const MAGIC = Buffer.from('PLMPSEAL');
const SALT_AT = 16;
const CHECK_AT = SALT_AT + 32;
const CRC_AT = CHECK_AT + 32;

const PURPOSES = ['backup', 'export'] as const;
export type Purpose = (typeof PURPOSES)[number];

const KINDS = ['passphrase', 'key'] as const;
/** Limits the memory that a hostile file can request to 1 GiB. */
const MAX: ScryptCosts = { log2N: 20, r: 8, p: 4 };

/** Each file has its own key, so the nonces of its chunks can be a counter. */
type Keys = Readonly<{ chunks: Uint8Array; check: Uint8Array }>;

const keysOf = (secret: Uint8Array, clear: Uint8Array): Keys => {
  const salt = clear.subarray(SALT_AT, CHECK_AT);
  // The rest of the header is bound to the keys: a change of any byte results in other keys.
  const info = Buffer.concat([Buffer.from('palimpsest sealed file\n'), clear.subarray(0, SALT_AT)]);
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, info, 64));
  return { chunks: bytes.subarray(0, 32), check: createHmac('sha256', bytes.subarray(32)).update('key check').digest() };
};

/** Creates a header, and the key for the chunks after it. */
export const makeHeader = async (
  purpose: Purpose,
  secret: Secret,
  salt: Uint8Array,
  costs = SCRYPT,
): Promise<Readonly<{ header: Uint8Array; key: Uint8Array }>> => {
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.set([FORMAT, PURPOSES.indexOf(purpose) + 1, KINDS.indexOf(secret.kind) + 1], MAGIC.length);
  if (secret.kind === 'passphrase') header.set([costs.log2N, costs.r, costs.p], MAGIC.length + 3);
  header.set(salt, SALT_AT);
  const { chunks, check } = keysOf(await stretched(secret, salt, costs), header);
  header.set(check, CHECK_AT);
  header.writeUInt32BE(crc32(header.subarray(0, CRC_AT)), CRC_AT);
  return { header, key: chunks };
};

/** The key for the chunks. @throws UnusableFile, WrongSecret */
export const openHeader = async (header: Uint8Array, purpose: Purpose, secret: Secret): Promise<Uint8Array> => {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  requireComplete(bytes);
  const [format = 0, purposeNumber = 0, kindNumber = 0, log2N = 0, r = 0, p = 0] = bytes.subarray(MAGIC.length);
  if (format !== FORMAT) throw new UnusableFile(`the file has format ${format}, written by a newer Palimpsest; this one reads ${FORMAT}`);
  requirePurpose(PURPOSES[purposeNumber - 1], purpose);
  const kind = KINDS[kindNumber - 1];
  if (kind !== secret.kind) throw new WrongSecret(`the file was sealed with a ${nameOf(kind)}, not with a ${nameOf(secret.kind)}`);
  if (log2N > MAX.log2N || r > MAX.r || p > MAX.p)
    throw new UnusableFile('the file requests more memory than any file that Palimpsest writes');
  const { chunks, check } = keysOf(await stretched(secret, bytes.subarray(SALT_AT, CHECK_AT), { log2N, r, p }), bytes);
  if (!timingSafeEqual(check, bytes.subarray(CHECK_AT, CRC_AT)))
    throw new WrongSecret(`the ${secret.kind} is not the one that sealed the file`);
  return chunks;
};

const requireComplete = (bytes: Buffer): void => {
  if (bytes.length === 0) throw new UnusableFile('the file is empty');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new UnusableFile('this is not a sealed file of Palimpsest, or its first bytes are damaged');
  if (bytes.length < HEADER_BYTES) throw new UnusableFile(`the file is truncated: it has ${bytes.length} bytes`);
  if (bytes.readUInt32BE(CRC_AT) !== crc32(bytes.subarray(0, CRC_AT)))
    throw new UnusableFile(`the file is damaged in its first ${HEADER_BYTES} bytes`);
};

const NAMES: Readonly<Record<Purpose, string>> = { backup: 'a backup', export: 'an export' };

const requirePurpose = (found: Purpose | undefined, wanted: Purpose): void => {
  if (found !== wanted)
    throw new UnusableFile(`the file is ${found === undefined ? 'of an unknown kind' : NAMES[found]}, not ${NAMES[wanted]}`);
};

const nameOf = (kind: Secret['kind'] | undefined): string => (kind === 'key' ? 'key file' : 'passphrase');
