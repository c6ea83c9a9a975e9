import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Secret } from '@palimpsest/backup';
import { UsageError } from './failure.ts';
import type { Session } from './session.ts';

export type SecretOptions = Readonly<{ passphraseFile?: string; keyFile?: string }>;

/** The options of every command that writes or reads a sealed file. */
export const withSecretOptions = (command: Command): Command =>
  command
    .option(
      '--passphrase-file <file>',
      'file with the passphrase for the sealed file, at least 12 characters (or PALIMPSEST_BACKUP_PASSPHRASE)',
    )
    .option('--key-file <file>', 'file with a key instead of a passphrase: 64 hexadecimal digits (openssl rand -hex 32)');

/** @throws UsageError when no secret, or more than one, is given; InvalidValue when the secret is not valid */
export const secretOf = async ({ cwd, config }: Session, { passphraseFile, keyFile }: SecretOptions): Promise<Secret> => {
  const { keyFrom, passphrase } = await import('@palimpsest/backup');
  if (passphraseFile !== undefined && keyFile !== undefined) throw new UsageError('use either --passphrase-file or --key-file, not both');
  if (keyFile !== undefined) return keyFrom(await textOf(resolve(cwd, keyFile)), '--key-file');
  if (passphraseFile !== undefined)
    return passphrase((await textOf(resolve(cwd, passphraseFile))).replace(/\r?\n$/, ''), '--passphrase-file');
  if (config.backupPassphrase !== undefined) return passphrase(config.backupPassphrase, 'PALIMPSEST_BACKUP_PASSPHRASE');
  throw new UsageError(
    'a passphrase or key is required, because the file contains every document and its keys: give --passphrase-file, --key-file or PALIMPSEST_BACKUP_PASSPHRASE',
  );
};

const textOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
};
