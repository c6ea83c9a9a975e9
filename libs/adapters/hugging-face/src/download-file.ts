import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFile } from '@palimpsest/foundation';
import { Conflict, Corrupt, Unavailable } from '@palimpsest/knowledge/errors';
import { checkFile, digestOf, type ExpectedFile, type FileDigest } from './file-digest.ts';
import { networkError, type Hub, type HubResponse } from './hub.ts';
import { refusalOf } from './refusal.ts';
import { withRetries, type RetryOptions } from './retries.ts';

/** Where the files of one commit are. */
export type CommitFiles = Readonly<{ hub: Hub; repository: string; commit: string }>;

export type DownloadFileOptions = Readonly<{
  /** Path of the complete file. Until it is complete, `.partial` is appended. */
  to: string;
  maxBytes: number;
  retry: RetryOptions;
  /** Called with the number of bytes on disk. */
  onBytes?: (bytes: number) => void;
  signal?: AbortSignal;
}>;

export type DownloadedFile = Readonly<{ path: string; size: number; sha256: string }>;

/**
 * Downloads one file of a commit. A broken download is continued where it stopped, by this call and by a later one. Nothing is kept of
 * a file that differs from its digest.
 *
 * @throws Corrupt if size, digest or commit differ; Conflict if the file is too large or has no digest
 * @throws NotFound, Forbidden or Unavailable from the hub
 */
export const downloadFile = async (
  source: CommitFiles,
  expected: ExpectedFile,
  { to, maxBytes, retry, onBytes = () => undefined, signal }: DownloadFileOptions,
): Promise<DownloadedFile> => {
  const done = await ofEarlierRun(to, expected);
  if (done !== undefined) {
    onBytes(done.size);
    return { path: expected.path, ...done };
  }
  const partial = `${to}.partial`;
  const fetchAndCheck = async (): Promise<{ size: number; sha256: string }> => {
    const known = await withRetries(() => fetchRest(source, expected, partial, maxBytes, onBytes, signal), retry, signal);
    return checkFile(partial, known).catch(async (error: unknown) => {
      if (error instanceof Corrupt) await rm(partial);
      throw error;
    });
  };
  const continues = (await sizeOf(partial)) !== undefined;
  const checked = await fetchAndCheck().catch((error: unknown) => {
    // The first part, of an earlier run, may be damaged: it is not the hub's fault yet.
    if (continues && error instanceof Corrupt) return fetchAndCheck();
    throw error;
  });
  await syncFile(partial);
  await rename(partial, to);
  return { path: expected.path, ...checked };
};

/** A complete file of an earlier run, if it is still what the hub lists. */
const ofEarlierRun = async (to: string, expected: ExpectedFile): Promise<{ size: number; sha256: string } | undefined> => {
  if (expected.digest === undefined || (await sizeOf(to)) === undefined) return undefined;
  return checkFile(to, expected).catch(() => undefined);
};

/** Appends what is missing to the file, and returns what the hub says about the whole one. */
const fetchRest = async (
  { hub, repository, commit }: CommitFiles,
  expected: ExpectedFile,
  partial: string,
  maxBytes: number,
  onBytes: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<ExpectedFile> => {
  const { path } = expected;
  const have = (await sizeOf(partial)) ?? 0;
  if (have > 0 && have === expected.size && expected.digest !== undefined) return expected;
  const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {};
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const answer = await hub.get(`${repository}/resolve/${commit}/${encoded}`, { headers, signal });
  const { response, idle } = answer;
  try {
    // The partial file is longer than the whole one.
    if (response.status === 416) await rm(partial, { force: true });
    const start = startOf(response, path, have);
    if (!response.ok) throw refusalOf(response, repository, commit, path);
    const known = knownFile(answer, expected, commit, start);
    if ((known.size ?? 0) > maxBytes) throw tooLarge(path, maxBytes);
    await append(answer, path, { partial, start, limit: known.size ?? maxBytes, onBytes });
    const size = (await sizeOf(partial)) ?? 0;
    if (known.size !== undefined && size < known.size) throw new Unavailable(`${path}: the connection ended after ${size} bytes`);
    return known;
  } finally {
    idle.stop();
    await response.body?.cancel().catch(() => undefined);
  }
};

/** Combines list and headers. @throws Corrupt if they contradict each other; Conflict without any digest */
const knownFile = ({ response, fromHub }: HubResponse, expected: ExpectedFile, commit: string, start: number): ExpectedFile => {
  const { path } = expected;
  const ofCommit = fromHub('x-repo-commit');
  if (ofCommit !== undefined && ofCommit !== commit) throw new Corrupt(`${path}: the hub returned commit ${ofCommit} instead of ${commit}`);

  const inHeaders = digestOf(fromHub('x-linked-etag') ?? fromHub('etag'));
  if (inHeaders !== undefined && contradicts(inHeaders, expected.digest))
    throw new Corrupt(`${path}: the hub lists ${expected.digest?.value}, but sends ${inHeaders.value}`);
  const digest = expected.digest ?? inHeaders;
  if (digest === undefined) throw new Conflict(`${path}: the hub names no digest for this file, so it cannot be verified`);

  const length = response.headers.get('content-length');
  const size = expected.size ?? (length === null ? undefined : start + Number(length));
  if (length !== null && size !== start + Number(length))
    throw new Corrupt(`${path}: expected ${size} bytes, got ${start + Number(length)}`);
  return { path, digest, ...(size === undefined ? {} : { size }) };
};

const contradicts = (a: FileDigest, b: FileDigest | undefined): boolean => b !== undefined && a.kind === b.kind && a.value !== b.value;

type Target = Readonly<{ partial: string; start: number; limit: number; onBytes: (bytes: number) => void }>;

/** Writes the body to the file from `start`, which replaces the file if it is 0. */
const append = async ({ response, idle }: HubResponse, path: string, { partial, start, limit, onBytes }: Target): Promise<void> => {
  let bytes = start;
  const counted = new Transform({
    transform: (part: Buffer, _, next) => {
      idle.touch();
      bytes += part.length;
      onBytes(Math.min(bytes, limit));
      next(bytes > limit ? tooLarge(path, limit) : null, part);
    },
  });
  try {
    const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, counted, createWriteStream(partial, { flags: start === 0 ? 'w' : 'a' }), { signal: idle.signal });
  } catch (error) {
    if (error instanceof Conflict) await rm(partial, { force: true });
    // The disk's own errors, such as a full disk, have a code; those of a connection are wrapped.
    if (error instanceof Conflict || isOfDisk(error)) throw error;
    throw networkError(new URL(response.url), error, idle.signal);
  }
};

const isOfDisk = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');

const tooLarge = (path: string, limit: number): Conflict => new Conflict(`${path}: larger than the expected or allowed ${limit} bytes`);

/** Where the response starts: 0 for a complete one. @throws Unavailable if that is neither there nor where the file on disk ends */
const startOf = ({ status, headers }: Response, path: string, have: number): number => {
  const start = status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN) : 0;
  if (status === 416 || (start !== 0 && start !== have)) throw new Unavailable(`${path}: the hub returned another part of the file`);
  return start;
};

const sizeOf = async (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
