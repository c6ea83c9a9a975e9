import type { VerifyResult } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { knownCheckpoint, verifyLog, type KnownCheckpoint } from './verify-log.ts';

/** Maximum number of differences that are listed. */
const LISTED = 20;

export const addVerify: AddCommand = (program, asAction) => {
  program
    .command('verify')
    .description('Check the log, keys and uploads, and compare the indexes with the log.')
    .option('--full', 'project the whole log again, and not only what followed the previous verification')
    .option('--log', 'compare the records of the log with its signed checkpoints instead')
    .option(
      '--known <checkpoint>',
      'with --log: a checkpoint that an earlier check printed, which the log must still contain',
      knownCheckpoint,
    )
    .action(asAction(verify));
};

type VerifyOptions = Readonly<{ full?: boolean; log?: boolean; known?: KnownCheckpoint }>;

const verify = async (session: Session, { full = false, log, known }: VerifyOptions): Promise<number> => {
  if (log) return verifyLog(session, known);
  if (known !== undefined) throw new UsageError('--known needs --log');
  const { output, signal } = session;
  const result = await session.connect().operations.verify({ full, signal });
  output.result(result, () => printVerification(output, result));
  return result.clean ? EXIT.ok : EXIT.someFailed;
};

const printVerification = (
  output: Output,
  {
    clean,
    position,
    partitions,
    differences,
    differenceCount = differences.length,
    logDamage = [],
    keyDamage = [],
    uploadDamage = [],
  }: VerifyResult,
): void => {
  const { green, red, bold } = output.colors;
  const listDamage = (title: string, damage: readonly string[]): void => {
    if (damage.length === 0) return;
    output.line(red(bold(title)));
    for (const sentence of damage.slice(0, LISTED)) output.line(`  ${sentence}`);
    if (damage.length > LISTED) output.line(`  and ${damage.length - LISTED} more (--json lists them)`);
  };
  if (logDamage.length > 0) {
    output.line(`${red(bold('the event log is damaged'))}: stop the platform and restore \`log\` from a backup`);
    for (const damage of logDamage) output.line(`  ${damage}`);
    return;
  }
  listDamage(`${keyDamage.length} keys are missing or damaged`, keyDamage);
  listDamage(`${uploadDamage.length} uploads are missing or damaged`, uploadDamage);
  if (partitions.length === 0 && keyDamage.length > 0) return output.line('the indexes were not compared: restore the keys first');
  output.table(
    ['tenant', 'scope', 'generation', 'chunks', 'fingerprint'],
    partitions.map(({ tenant, scope, generation, chunks, fingerprint }) => [tenant, scope, generation, chunks, fingerprint]),
  );
  const withoutVector = partitions.reduce((sum, partition) => sum + partition.withoutVector, 0);
  if (withoutVector > 0) output.line(`${withoutVector} chunks were refused by the model and can be found by keywords only`);
  output.line();
  if (clean) return output.line(`${green('clean')}: the indexes match the log at position ${position}`);
  if (differenceCount === 0) return output.line(`the indexes match the log at position ${position}`);
  output.line(`${red(bold(`${differenceCount} differences`))} at position ${position}; \`palimpsest repair\` repairs them`);
  for (const { store, kind, scope, chunkId, row } of differences.slice(0, LISTED))
    output.line(['  ' + store, kind, scope, chunkId ?? row].filter((part) => part !== undefined && part !== '').join(' '));
  if (differenceCount > LISTED) output.line(`  and ${differenceCount - LISTED} more (--json lists them)`);
};
