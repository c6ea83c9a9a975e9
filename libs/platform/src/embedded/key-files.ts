import { readFile } from 'node:fs/promises';
import { MasterKeyMissing, openMasterKey, openScopeKeys } from '@palimpsest/adapters-folder';
import type { FolderLayout } from '@palimpsest/backup';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import type { BlobStore, EventLog, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { ApiKeys } from '@palimpsest/tenancy';
import { verifyMasterKey } from '../verify-master-key.ts';

type KnownKeys = Pick<ApiKeys, 'accessOf'>;

/** `masterKey`: the key that this process uses to seal; see `checkKeyFiles`. */
type OpenKeys = Readonly<{ keys: ScopeKeys; masterKey: Uint8Array }>;

/**
 * Opens the keys of a folder. New keys are created only in a new folder, because they could not open existing data.
 * @throws MasterKeyMissing; WrongMasterKey; Corrupt when every scope key is missing
 */
export const openKeys = async (folder: FolderLayout, blobs: BlobStore, log: EventLog): Promise<OpenKeys> => {
  const [anyKey, anyDocument] = [await hasAny(blobs.list('keys')), await hasAny(log.readAll({ types: ['DocumentSubmitted'], limit: 1 }))];
  const masterKey = await openMasterKey(folder.masterKey, async () => anyKey || anyDocument);
  if (anyDocument && !anyKey)
    throw new Corrupt(
      `the keys of scopes in ${folder.blobs}/keys are missing, and the log cannot be read without them: restore ${folder.blobs} from a backup`,
    );
  const keys = openScopeKeys({ blobs, masterKey });
  await verifyMasterKey(keys);
  return { keys, masterKey };
};

const hasAny = async (items: AsyncIterable<unknown>): Promise<boolean> => {
  for await (const _ of items) return true;
  return false;
};

/** Checks the two key files on disk. A running process keeps its keys in memory, so a loss would only show at the next start. */
export const checkKeyFiles = async (folder: FolderLayout, masterKey: Uint8Array, apiKeys: KnownKeys): Promise<readonly string[]> => [
  ...(await checkMasterKey(folder.masterKey, masterKey)),
  ...(await checkLocalKey(folder.localKey, apiKeys)),
];

const checkMasterKey = async (file: string, inUse: Uint8Array): Promise<readonly string[]> => {
  try {
    const stored = await openMasterKey(file, async () => true);
    if (Buffer.from(stored).equals(inUse)) return [];
    return [`the master key file ${file} holds a different key than the one in use: restore it before the next start`];
  } catch (error) {
    if (error instanceof MasterKeyMissing || error instanceof InvalidValue) return [`${error.message}. Restore it before the next start`];
    throw error;
  }
};

const checkLocalKey = async (file: string, apiKeys: KnownKeys): Promise<readonly string[]> => {
  const stored = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (stored !== undefined && apiKeys.accessOf(stored) !== undefined) return [];
  return [
    `the local API key file ${file} ${stored === undefined ? 'cannot be read' : 'holds no valid API key: it is damaged, or the key was revoked'}. The next start issues a new key`,
  ];
};
