import type { RepairResult, VerificationHistory, VerificationRecord } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

export const addRepair: AddCommand = (program, asAction) => {
  const repair = program
    .command('repair')
    .description('Make the indexes equal to the log again, where they differ. No embedding model is called.');
  repair
    .command('start', { isDefault: true })
    .description('Verify, write what differs again from the log, and verify again. Interrupting the command does not stop it.')
    .option('--scope <scope>', 'only this scope; may be repeated', collect)
    .option('--tenant <id>', 'the tenant of --scope (default: that of the key)')
    .action(asAction(start));
  repair.command('history').description('List the last verifications and repairs.').action(asAction(history));
};

type StartOptions = Readonly<{ scope?: readonly string[]; tenant?: string }>;

const start = async (session: Session, { scope: scopes, tenant }: StartOptions): Promise<number> => {
  const { output, signal } = session;
  if (tenant !== undefined && scopes === undefined) throw new UsageError('expected --scope <scope> with --tenant');
  output.note('comparing the indexes with the log');
  const order = { ...(scopes === undefined ? {} : { scopes }), ...(tenant === undefined ? {} : { tenant }) };
  const result = await session.connect().operations.repair({ ...order, signal });
  output.result(result, () => printRepair(output, result));
  return result.after.clean ? EXIT.ok : EXIT.someFailed;
};

const printRepair = (output: Output, { repaired, counts, seconds, after }: RepairResult): void => {
  const { differences, differenceCount = differences.length, logDamage = [], keyDamage = [], uploadDamage = [] } = after;
  if (repaired > 0)
    output.table(
      ['store', 'kind', 'scope', 'generation', 'repaired'],
      counts.map(({ store, kind, scope = '', generation = '', count }) => [store, kind, scope, generation, count]),
    );
  output.line(repaired === 0 ? 'nothing was repaired' : `repaired ${repaired} differences in ${seconds.toFixed(1)} s`);
  const { green, red } = output.colors;
  if (after.clean) return output.line(`${green('clean')}: the indexes match the log at position ${after.position}`);
  if (differenceCount > 0) output.line(red(`${differenceCount} differences remain; \`palimpsest verify\` lists them`));
  const damage = logDamage.length + keyDamage.length + uploadDamage.length;
  if (damage > 0) output.line(red('the log, keys or uploads are damaged, which no repair mends: see `palimpsest verify`'));
};

const history = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const result = await session.connect().operations.verifications({ signal });
  output.result(result, () => printHistory(output, result));
  return EXIT.ok;
};

const printHistory = (output: Output, { everyHours, repair, verifications, repairs }: VerificationHistory): void => {
  output.line(
    everyHours === 0
      ? 'verifications are not scheduled'
      : `verified every ${everyHours} hours; differences are ${repair === 'auto' ? 'repaired' : 'only reported'}`,
  );
  if (verifications.length > 0)
    output.table(
      ['verified', 'trigger', 'seconds', 'result'],
      verifications.map((one) => [one.startedAt, one.trigger, one.seconds.toFixed(1), resultOf(one)]),
    );
  if (repairs.length > 0)
    output.table(
      ['repaired', 'by', 'differences', 'remaining'],
      repairs.map(({ repairedAt, by, total, remaining }) => [repairedAt, by, total, remaining]),
    );
};

const resultOf = ({ reason, clean, differences = [], damage = 0 }: VerificationRecord): string => {
  if (reason !== undefined) return reason;
  if (clean) return 'clean';
  const counts = differences.map(({ store, kind, count }) => `${count} ${kind} in ${store}`);
  return [...counts, ...(damage > 0 ? [`${damage} times damage of the log, keys or uploads`] : [])].join(', ');
};
