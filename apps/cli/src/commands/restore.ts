import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Erased } from '@palimpsest/backup';
import { subjectKey } from '@palimpsest/knowledge/subjects';
import { tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect } from '../options.ts';
import { readJson } from '../read-json.ts';
import type { Progress } from '../render/progress.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';

type RestoreOptions = SecretOptions & Readonly<{ data: string; erased?: readonly string[] }>;

export const addRestore: AddCommand = (program, asAction) => {
  const command = program
    .command('restore')
    .description('Restore a data folder from a backup. The next start rebuilds the indexes.')
    .argument('<file>', 'backup to read')
    .requiredOption('--data <folder>', 'target folder; must be empty or not exist')
    .option('--erased <receipt>', 'receipt of an erasure since the backup: what was erased stays erased; may be repeated', collect);
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
      erased: (await Promise.all((options.erased ?? []).map((receipt) => erasedBy(resolve(cwd, receipt))))).flat(),
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

/** What a receipt says was erased. @throws UsageError if it is no valid receipt of an erasure */
const erasedBy = async (file: string): Promise<readonly Erased[]> => {
  const { checkReceipt } = await import('@palimpsest/proofs');
  const checked = checkReceipt(readJson(await readFile(file, 'utf8'), file));
  if (!('receipt' in checked)) throw new UsageError(`${file} is no valid receipt: ${checked.problems[0] ?? ''}`);
  const { receipt } = checked;
  if (receipt.kind !== 'palimpsest-erasure/1') throw new UsageError(`${file} is no receipt of an erasure`);
  const { scope, subject, scopes = [], publicKey } = receipt;
  const tenant = tenantId(receipt.tenant);
  if (subject !== undefined) return [{ of: { tenant, subject: subjectKey(subject) }, publicKey }];
  const erased = scope === undefined ? scopes : [scope];
  return erased.map((each) => ({ of: { tenant, scope: vectorScope(each) }, publicKey }));
};
