import { readFile, rename, writeFile } from 'node:fs/promises';
import { DEFAULT_TENANT } from '@palimpsest/knowledge';
import type { ApiKeys } from '@palimpsest/runtime';

/**
 * The key that clients on this machine find by themselves: readable by the folder's owner only, and issued once. A file that
 * was lost, or whose key was revoked, is replaced.
 */
export const ensureLocalKey = async (file: string, apiKeys: ApiKeys): Promise<string> => {
  const known = await readFile(file, 'utf8').then((text) => text.trim(), () => '');
  if (known !== '' && apiKeys.accessOf(known)) return known;
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
