import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { PROOF_PATH, proofOf, type ServerRecord } from '@palimpsest/backup/local-server';
import { UsageError } from './failure.ts';

export const DEFAULT_URL = 'http://127.0.0.1:7330';
const DATA_FOLDER = '.palimpsest';
const OTHERWISE = 'or name another one with --url and --api-key';

/** A data folder on this machine: where its server listens, if one does, and the key that the folder holds for its clients. */
export type LocalServer = Readonly<{ folder: string; url: string | undefined; apiKey: string | undefined }>;

/** What was asked for by options or the environment. */
export type Asked = Readonly<{ url: string | undefined; apiKey: string | undefined }>;

/** Where to go, with which key and, for the key of a folder, by which fetch. */
export type ChosenServer = Readonly<{ url: string; apiKey: string | undefined; fetch?: typeof fetch }>;

/** Looks into the named data folder, or into `.palimpsest` in the working folder or the nearest folder above it. */
export const findLocalServer = (cwd: string, data: string | undefined): LocalServer | undefined => {
  const folder = data === undefined ? findDataFolder(cwd, undefined) : resolve(cwd, data);
  return folder === undefined ? undefined : { folder, url: urlIn(folder), apiKey: read(join(folder, 'keys', 'local-api-key'))?.trim() };
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
    const { url } = JSON.parse(read(join(folder, 'server.json')) ?? '{}') as Partial<ServerRecord>;
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
};

/**
 * What was asked for comes first, then the server of the data folder. A folder's key goes only to the address that the folder names. Any key goes
 * to that address only after a proof that the folder's own server answers there: the record may be older than what listens there now.
 * @throws UsageError when the folder's server is not running (or not yet)
 */
export const chooseServer = (asked: Asked, local: LocalServer | undefined): ChosenServer => {
  if (asked.url !== undefined && (asked.apiKey !== undefined || !sameOrigin(asked.url, local?.url))) return { url: asked.url, apiKey: asked.apiKey };
  if (local === undefined) return { url: DEFAULT_URL, apiKey: asked.apiKey };
  if (local.url === undefined) throw new UsageError(`no server is running on ${local.folder}, or it is still starting: start one with \`palimpsest start\`, ${OTHERWISE}`);
  const apiKey = asked.apiKey ?? local.apiKey;
  return { url: local.url, apiKey, ...(local.apiKey === undefined ? {} : { fetch: provenFetch(local.folder, local.url, local.apiKey) }) };
};

const sameOrigin = (a: string, b: string | undefined): boolean => b !== undefined && URL.parse(a)?.origin === URL.parse(b)?.origin;

/** Asks for a proof before each request: a connection may be a new one, to a program that has just taken over the address. */
const provenFetch =
  (folder: string, url: string, key: string): typeof fetch =>
  async (input, init) => {
    const nonce = randomBytes(32).toString('hex');
    const answer = await fetch(`${url}${PROOF_PATH}?nonce=${nonce}`, { redirect: 'error', ...(init?.signal == null ? {} : { signal: init.signal }) });
    const { proof } = (await answer.json().catch(() => ({}))) as { proof?: unknown };
    if (proof !== proofOf(key, url, nonce))
      throw new UsageError(`the program at ${url} is not the server of ${folder}, and no key was sent to it: start (or restart) the server, ${OTHERWISE}`);
    return fetch(input, init);
  };
