import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { InvalidValue, KnowledgeError, Unavailable } from '@palimpsest/knowledge';
import { errorCode, makeFolder, syncFolder } from './durable.ts';

/** The file of the master key is missing, and data exists that only this key opens. A new key would open nothing. */
export class MasterKeyMissing extends KnowledgeError {
  readonly code = 'MasterKeyMissing';
  readonly retryable = false;

  constructor(path: string) {
    super(`the master key file ${path} is missing, and only that key opens the data of this folder. Restore the file from a backup and start again. No new key was created, since it would open nothing`);
  }
}

/**
 * The master key (32 bytes) in `file`: 64 hexadecimal digits, mode 0600. Creates file and folder (mode 0700) when there are
 * none; of several processes that do so at once, one wins and all return its key. Losing the file loses everything sealed.
 * @param needed whether something is sealed under a master key already: then a missing file is an error.
 * @throws MasterKeyMissing
 * @throws InvalidValue when others may read the file, or when it holds something else.
 * @throws Unavailable when the file cannot be read or created.
 */
export const openMasterKey = async (file: string, needed: () => Promise<boolean> = async () => false): Promise<Uint8Array> => {
  const path = resolve(file);
  try {
    const found = await read(path);
    // A process that died may have come to the name, and not to its sync: nothing is sealed before the name is on disk.
    if (found !== undefined) await syncFolder(dirname(path));
    if (found !== undefined) return found;
    if (await needed()) throw new MasterKeyMissing(path);
    return await make(path);
  } catch (cause) {
    if (cause instanceof KnowledgeError) throw cause;
    throw new Unavailable(`cannot open the master key file ${path} (${errorCode(cause) ?? String(cause)})`, { cause });
  }
};

const read = async (path: string): Promise<Uint8Array | undefined> => {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    refuseOthers(path, (await file.stat()).mode);
    return parse(path, await file.readFile('utf8'));
  } finally {
    await file.close();
  }
};

const refuseOthers = (path: string, mode: number): void => {
  // Windows keeps no such bits: there, the folder's access list decides
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  const got = `mode 0${(mode & 0o777).toString(8)}`;
  throw new InvalidValue(`master key file ${path}`, `a file that only its owner may read (chmod 600 "${path}")`, got);
};

const parse = (path: string, text: string): Uint8Array => {
  const hex = text.trim();
  // what is wrong is told without quoting it: it may be most of a key
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw new InvalidValue(`master key file ${path}`, '64 hexadecimal digits', `${hex.length} characters, not (only) such digits`);
  return Uint8Array.from(Buffer.from(hex, 'hex'));
};

/** Written under another name first, then linked: nobody ever reads half a key, and only one link succeeds. */
const make = async (path: string): Promise<Uint8Array> => {
  await makeFolder(dirname(path));
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeKey(temporary);
    await link(temporary, path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
  const key = await read(path);
  if (key === undefined) throw new Unavailable(`the master key file ${path} vanished while it was made`);
  return key;
};

const writeKey = async (path: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
};
