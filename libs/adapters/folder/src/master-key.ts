import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode, ifCode, makeFolder, syncFolder, writeSynced } from '@palimpsest/foundation';
import { InvalidValue, KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';

/** The master key file is missing, and data exists that only this key can open. A new key could not open it. */
export class MasterKeyMissing extends KnowledgeError {
  readonly code = 'MasterKeyMissing';
  readonly retryable = false;

  constructor(path: string) {
    super(
      `the master key file ${path} is missing, and only that key opens the data of this folder. Restore the file from a backup and start again. No new key was created, because it could not open the existing data`,
    );
  }
}

/**
 * Returns the master key (32 bytes) from `file`: 64 hexadecimal digits, mode 0600. Creates the file and its folder (mode 0700) when they
 * are missing. If several processes do so at the same time, all return the same key. Without the file, no sealed content can be opened.
 * @param needed whether content was already sealed under a master key: then a missing file is an error
 * @throws MasterKeyMissing
 * @throws InvalidValue when other users can read the file, or when its content is not a key
 * @throws Unavailable when the file cannot be read or created
 */
export const openMasterKey = async (file: string, needed: () => Promise<boolean> = async () => false): Promise<Uint8Array> => {
  const path = resolve(file);
  try {
    const found = await read(path);
    // A process that died may have created the name without syncing it. The name must be on disk before anything is sealed.
    if (found !== undefined) await syncFolder(dirname(path));
    if (found !== undefined) return found;
    if (await needed()) throw new MasterKeyMissing(path);
    return await create(path);
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    throw new Unavailable(`cannot open the master key file ${path} (${errorCode(cause) ?? String(cause)})`, { cause });
  }
};

const read = async (path: string): Promise<Uint8Array | undefined> => {
  const file = await open(path, 'r').catch(ifCode('ENOENT', undefined));
  if (file === undefined) return undefined;
  try {
    refuseOthers(path, (await file.stat()).mode);
    return parse(path, await file.readFile('utf8'));
  } finally {
    await file.close();
  }
};

const refuseOthers = (path: string, mode: number): void => {
  // Windows has no mode bits; there, the access list of the folder applies
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  const got = `mode 0${(mode & 0o777).toString(8)}`;
  throw new InvalidValue(`master key file ${path}`, `a file that only its owner can read (chmod 600 "${path}")`, got);
};

const parse = (path: string, text: string): Uint8Array => {
  const hex = text.trim();
  // the error does not quote the content, because it may be most of a key
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new InvalidValue(`master key file ${path}`, '64 hexadecimal digits', `${hex.length} characters, not (only) such digits`);
  return Uint8Array.from(Buffer.from(hex, 'hex'));
};

/** Writes the key to a temporary file first and then links it: no process ever reads an incomplete key, and only one link succeeds. */
const create = async (path: string): Promise<Uint8Array> => {
  await makeFolder(dirname(path));
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeSynced(temporary, [Buffer.from(`${randomBytes(32).toString('hex')}\n`)], 'wx', 0o600);
    await link(temporary, path).catch(ifCode('EEXIST', undefined));
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
  const key = await read(path);
  if (key === undefined) throw new Unavailable(`the master key file ${path} disappeared while it was being created`);
  return key;
};
