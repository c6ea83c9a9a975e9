import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const DEFAULT_URL = 'http://127.0.0.1:7330';
const DATA_FOLDER = '.palimpsest';

/** What a server on this machine left for its clients; both are missing when it never ran here. */
export type LocalServer = Readonly<{ url: string | undefined; apiKey: string | undefined }>;

/** Looks into the named data folder, or into `.palimpsest` in the working folder or the nearest folder above it. */
export const findLocalServer = (cwd: string, data: string | undefined): LocalServer => {
  for (const folder of dataFolders(cwd, data)) {
    const found = { url: urlIn(folder), apiKey: read(join(folder, 'keys', 'local-api-key'))?.trim() };
    if (found.url !== undefined || found.apiKey !== undefined) return found;
  }
  return { url: undefined, apiKey: undefined };
};

/** The data folder that a platform on this machine has, or undefined. */
export const findDataFolder = (cwd: string, data: string | undefined): string | undefined => dataFolders(cwd, data).find((folder) => existsSync(folder));

const dataFolders = (cwd: string, data: string | undefined): readonly string[] =>
  data === undefined ? ancestors(cwd).map((folder) => join(folder, DATA_FOLDER)) : [resolve(cwd, data)];

const ancestors = (folder: string): string[] => {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
};

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not there, or not ours to read: then there is no local server for us.
    return undefined;
  }
};

const urlIn = (folder: string): string | undefined => {
  try {
    const { url } = JSON.parse(read(join(folder, 'server.json')) ?? '{}') as { url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Where to go and with which key: what was asked for comes first, then the environment, then what lies on this machine.
 * The key that lies on this machine goes to this machine's server only, never to another address.
 */
export const chooseServer = (
  asked: { url: string | undefined; apiKey: string | undefined },
  local: LocalServer,
): { url: string; apiKey: string | undefined } => {
  const url = asked.url ?? local.url ?? DEFAULT_URL;
  const isLocal = sameOrigin(url, local.url ?? DEFAULT_URL);
  return { url, apiKey: asked.apiKey ?? (isLocal ? local.apiKey : undefined) };
};

const sameOrigin = (a: string, b: string): boolean => URL.parse(a)?.origin === URL.parse(b)?.origin;
