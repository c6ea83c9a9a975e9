import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Progress } from '../render/progress.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';

type RestoreOptions = SecretOptions & Readonly<{ data: string }>;

export const addRestore: AddCommand = (program, asAction) => {
  const command = program
    .command('restore')
    .description('Restore a data folder from a backup. The next start rebuilds the indexes.')
    .argument('<file>', 'backup to read')
    .requiredOption('--data <folder>', 'target folder; must be empty or not exist');
  withSecretOptions(command).action(asAction(restore));
};

const restore = async (session: Session, options: RestoreOptions, file: string): Promise<number> => {
  const secret = await secretOf(session, options);
  const { output, cwd, signal } = session;
  const data = resolve(cwd, options.data);
  const { restoreBackup } = await import('@palimpsest/backup');
  let bar: Progress | undefined;
  try {
    const manifest = await restoreBackup({
      file: resolve(cwd, file),
      data,
      secret,
      signal,
      onProgress: (done, total) => (bar ??= output.progress('bytes', total)).update(done),
    });
    output.result({ data, ...manifest }, () => {
      const { parts, position, createdAt } = manifest;
      output.line(
        `restored ${parts.events.items} events up to position ${position}, ${parts.blobs.items} uploads and keys, from ${createdAt}`,
      );
      output.line(`start it with: PALIMPSEST_DATA=${data} npx palimpsest start`);
    });
    return EXIT.ok;
  } finally {
    bar?.stop();
  }
};
