import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Corrupt } from '@palimpsest/knowledge/errors';

/** How the hub names the content of a file: large files (LFS) by SHA-256, others by the SHA-1 of their git blob. */
export type FileDigest = Readonly<{ kind: 'sha256' | 'git'; value: string }>;

/** What is known of a file before it is read. */
export type ExpectedFile = Readonly<{ path: string; size?: number; digest?: FileDigest }>;

const NAMES = { sha256: 'SHA-256', git: 'git SHA-1' } as const;

/** Reads a digest as the hub sends it in `ETag`, by its length. */
export const digestOf = (etag: string | null | undefined): FileDigest | undefined => {
  const value = (etag ?? '')
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
  if (/^[0-9a-f]{64}$/.test(value)) return { kind: 'sha256', value };
  return /^[0-9a-f]{40}$/.test(value) ? { kind: 'git', value } : undefined;
};

/**
 * Compares a file on disk with what was expected.
 * @returns its size and SHA-256
 * @throws Corrupt naming the file, and the expected and actual value
 */
export const checkFile = async (file: string, { path, size, digest }: ExpectedFile): Promise<{ size: number; sha256: string }> => {
  const actual = (await stat(file)).size;
  if (size !== undefined && size !== actual) throw new Corrupt(`${path}: expected ${size} bytes, got ${actual}`);
  const sha256 = createHash('sha256');
  const git = createHash('sha1').update(`blob ${actual}\0`);
  for await (const part of createReadStream(file, { highWaterMark: 1 << 20 })) {
    sha256.update(part as Buffer);
    if (digest?.kind === 'git') git.update(part as Buffer);
  }
  const of256 = sha256.digest('hex');
  if (digest !== undefined) {
    const got = digest.kind === 'sha256' ? of256 : git.digest('hex');
    if (got !== digest.value) throw new Corrupt(`${path}: expected ${NAMES[digest.kind]} ${digest.value}, got ${got}`);
  }
  return { size: actual, sha256: of256 };
};
