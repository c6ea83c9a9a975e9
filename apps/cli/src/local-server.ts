import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWorthRetrying } from '@palimpsest/client';
import { PROOF_PATH, proofOf, type ServerRecord } from '@palimpsest/backup/local-server';
import { UsageError } from './failure.ts';

const DEFAULT_URL = 'http://127.0.0.1:7330';
const DATA_FOLDER = '.palimpsest';
const OR_NAME_ANOTHER = 'or name another one with --url and --api-key';

/** A data folder on this machine: the address of its server, if one is running, and the API key in the folder. */
export type LocalServer = Readonly<{ folder: string; url: string | undefined; apiKey: string | undefined }>;

/** The server that options or the environment name. */
export type RequestedServer = Readonly<{ url: string | undefined; apiKey: string | undefined }>;

/** The server to use, with its key. `fetch` is set when the key comes from a data folder. */
export type ChosenServer = Readonly<{ url: string; apiKey: string | undefined; fetch?: typeof fetch }>;

/** Reads the named data folder, or `.palimpsest` in the working folder or the nearest folder above it. */
export const findLocalServer = (cwd: string, data: string | undefined): LocalServer | undefined => {
  const folder = data === undefined ? findDataFolder(cwd, undefined) : resolve(cwd, data);
  return folder === undefined ? undefined : { folder, url: urlIn(folder), apiKey: read(join(folder, 'keys', 'local-api-key'))?.trim() };
};

/** The data folder of a platform on this machine, if there is one. */
export const findDataFolder = (cwd: string, data: string | undefined): string | undefined =>
  dataFolders(cwd, data).find((folder) => existsSync(folder));

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
    // Missing or not readable: there is no local server that we can use.
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
 * Options and environment take precedence over the data folder. A folder's key is sent only to the address that the folder names. Any key
 * is sent to that address only after the server has proved that it belongs to the folder: the record may be outdated, and another program
 * may listen there.
 * @throws UsageError when the folder's server is not running (or not yet)
 */
export const chooseServer = (requested: RequestedServer, local: LocalServer | undefined): ChosenServer => {
  if (requested.url !== undefined && (requested.apiKey !== undefined || !sameOrigin(requested.url, local?.url)))
    return { url: requested.url, apiKey: requested.apiKey };
  if (local === undefined) return { url: DEFAULT_URL, apiKey: requested.apiKey };
  if (local.url === undefined)
    throw new UsageError(
      `no server is running for ${local.folder}, or it is still starting: start one with \`palimpsest start\`, ${OR_NAME_ANOTHER}`,
    );
  const apiKey = requested.apiKey ?? local.apiKey;
  return { url: local.url, apiKey, ...(local.apiKey === undefined ? {} : { fetch: provenFetch(local.folder, local.url, local.apiKey) }) };
};

const sameOrigin = (a: string, b: string | undefined): boolean => b !== undefined && URL.parse(a)?.origin === URL.parse(b)?.origin;

/** Requests a proof before each request: every connection may be a new one, to a program that has just taken over the address. */
const provenFetch =
  (folder: string, url: string, key: string): typeof fetch =>
  async (input, init) => {
    const nonce = randomBytes(32).toString('hex');
    const answer = await fetch(`${url}${PROOF_PATH}?nonce=${nonce}`, {
      redirect: 'error',
      ...(init?.signal == null ? {} : { signal: init.signal }),
    });
    // It has too much to do to prove anything. The client handles this like any other refusal; no key was sent.
    if (isWorthRetrying(answer.status)) return answer;
    const { proof } = (await answer.json().catch(() => ({}))) as { proof?: unknown };
    if (proof !== proofOf(key, url, nonce))
      throw new UsageError(
        `the program at ${url} is not the server of ${folder}, and no key was sent to it: start (or restart) the server, ${OR_NAME_ANOTHER}`,
      );
    return fetch(input, init);
  };
