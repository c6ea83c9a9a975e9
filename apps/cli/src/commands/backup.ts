import { resolve } from 'node:path';
import type { BackupProgress, Manifest } from '@palimpsest/backup';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { findDataFolder } from '../local-server.ts';
import type { Output } from '../render/output.ts';
import type { Progress } from '../render/progress.ts';
import { sizeOf } from '../render/size.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';
import { VERSION } from '../version.ts';

type BackupOptions = SecretOptions & Readonly<{ data?: string; check?: boolean }>;

export const addBackup: AddCommand = (program, asAction) => {
  const command = program
    .command('backup')
    .description('Back up a platform on this machine, running or not, to one sealed file; or check an existing backup.')
    .argument('<target>', 'file to write, or a folder for a file named after the current time; with --check, the file to read')
    .option('--data <folder>', "the platform's data folder; default: PALIMPSEST_DATA, or .palimpsest in the working folder or above")
    .option('--check', 'read a backup and verify all of it without changing anything');
  withSecretOptions(command).action(asAction(backup));
};

const backup = async (session: Session, options: BackupOptions, target: string): Promise<number> => {
  const secret = await secretOf(session, options);
  const { output, cwd, signal, config } = session;
  // `resolve` would remove the trailing "/" that marks a folder.
  const path = `${resolve(cwd, target)}${/[/\\]$/.test(target) ? '/' : ''}`;
  const { backUp, checkBackup } = await import('@palimpsest/backup');
  if (options.check) {
    const manifest = await checkBackup(path, secret, signal);
    output.result({ file: path, ...manifest }, () => printManifest(output, 'valid', manifest));
    return EXIT.ok;
  }
  const data = findDataFolder(cwd, options.data ?? config.data);
  if (data === undefined) throw new UsageError('no data folder found: name one with --data');
  const progress = phases(output);
  try {
    const { file, bytes, manifest } = await backUp({ data, target: path, secret, by: VERSION, signal, onProgress: progress.report });
    output.result({ file, size: bytes, ...manifest }, () => {
      printManifest(output, 'backed up and verified', manifest);
      output.line(`${file} (${sizeOf(bytes)})`);
    });
    return manifest.missing.count === 0 ? EXIT.ok : EXIT.someFailed;
  } finally {
    progress.stop();
  }
};

const printManifest = (output: Output, what: string, { createdAt, position, parts, missing }: Manifest): void => {
  const { streams, events, blobs } = parts;
  output.line(
    `${output.colors.green(what)}: ${events.items} events of ${streams.items} streams up to position ${position}, ${blobs.items} uploads and keys, from ${createdAt}`,
  );
  output.line(`digest of the events: ${events.sha256}`);
  if (missing.count === 0) return;
  output.line(
    output.colors.red(
      `${missing.count} uploads that the log names are missing or damaged in the data folder; their documents cannot be re-indexed:`,
    ),
  );
  for (const key of missing.first) output.line(`  ${key}`);
};

const LABELS = { events: 'events', uploads: 'uploads', checking: 'bytes read back' } as const;

/** One progress bar at a time, for each phase whose total is known. */
const phases = (output: Output): Readonly<{ report: (progress: BackupProgress) => void; stop: () => void }> => {
  let current: { phase: string; bar: Progress } | undefined;
  const stop = (): void => current?.bar.stop();
  return {
    stop,
    report: ({ phase, done, total }) => {
      if (total === undefined) return;
      if (current?.phase !== phase) {
        stop();
        current = { phase, bar: output.progress(LABELS[phase], total) };
      }
      current.bar.update(done);
    },
  };
};
