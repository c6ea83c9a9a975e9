import { readFile, rename, writeFile } from 'node:fs/promises';
import { DEFAULT_TENANT } from '@palimpsest/knowledge';
import type { ApiKeys } from '@palimpsest/runtime';

/**
 * The key that clients on this machine find without being configured: readable by the folder's owner only, and issued once. A
 * file that was lost, damaged, or whose key was revoked, is replaced; `onReplaced` gets a sentence about that.
 */
export const ensureLocalKey = async (file: string, apiKeys: ApiKeys, onReplaced: (why: string) => void): Promise<string> => {
  const known = await readFile(file, 'utf8').then((text) => text.trim(), () => '');
  if (known !== '' && apiKeys.accessOf(known)) return known;
  const isFirst = !apiKeys.list(DEFAULT_TENANT).some(({ name }) => name === 'local');
  if (!isFirst) onReplaced(`${file} held no valid API key (it was lost, damaged, or the key was revoked): a new key was issued. Revoke the old one: palimpsest keys list`);
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
