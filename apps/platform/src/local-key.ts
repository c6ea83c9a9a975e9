import { readFile, rename, writeFile } from 'node:fs/promises';
import { DEFAULT_TENANT } from '@palimpsest/knowledge/values';
import type { ApiKeys } from '@palimpsest/tenancy';

/**
 * The key that clients on this machine find without configuration. Only the owner of the folder can read it; it is issued once. The
 * file is replaced when it is lost or damaged, or when its key was revoked; `onReplaced` receives a sentence that says so.
 */
export const ensureLocalKey = async (file: string, apiKeys: ApiKeys, onReplaced: (why: string) => void): Promise<string> => {
  const known = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (known !== '' && apiKeys.accessOf(known)) return known;
  const isFirst = !apiKeys.list(DEFAULT_TENANT).some(({ name }) => name === 'local');
  if (!isFirst)
    onReplaced(
      `${file} held no valid API key (it was lost, damaged, or the key was revoked): a new key was issued. Revoke the old one: palimpsest keys list`,
    );
  const { key } = await apiKeys.issueUnchecked(
    DEFAULT_TENANT,
    { name: 'local', teams: ['*'], user: 'local', roles: ['admin', 'operator'] },
    'platform',
    'first-start',
  );
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return key;
};
