import { setTimeout as sleep } from 'node:timers/promises';
import { REQUEST_LIMITS, type HistoryStatus } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

const ASK_EVERY_MS = 500;

export const addHistory: AddCommand = (program, asAction) => {
  const command = program.command('history').description('Remove what was replaced or deleted long ago from the log.');
  command
    .command('remove')
    .description(
      'Remove the history of a scope that is older than some days. Earlier moments cannot be searched any more. It cannot be undone.',
    )
    .argument('<scope>', 'deployment, platform, team:<id>, user:<id>')
    .requiredOption('--keep-days <number>', 'how many days of history stay; 0 for none', wholeNumber(0, REQUEST_LIMITS.historyDays))
    .option('--knowledge-base <id>', 'only of documents of this knowledge base')
    .option('--no-wait', 'return when it has begun')
    .action(asAction(remove));
  command.command('status').description('How much of the history of a scope is on the log.').argument('<scope>').action(asAction(status));
};

type RemoveOptions = Readonly<{ keepDays: number; knowledgeBase?: string; wait: boolean }>;

const remove = async (session: Session, { keepDays, knowledgeBase, wait }: RemoveOptions, scope: string): Promise<number> => {
  const { output, signal } = session;
  const { erasures } = session.connect();
  let found = await erasures.removeHistory(scope, keepDays, { signal, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) });
  while (wait && found.running) {
    await sleep(ASK_EVERY_MS, undefined, { signal });
    found = await erasures.history(scope, { signal });
  }
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const status = async (session: Session, _: object, scope: string): Promise<number> => {
  const { output, signal } = session;
  const found = await session.connect().erasures.history(scope, { signal });
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const print = (output: Output, { scope, earliest, running, last }: HistoryStatus): void => {
  const moments = earliest === '0' ? 'all of its history is on the log' : `moments from position ${earliest} on can be searched`;
  output.line(`scope ${output.colors.bold(scope)}: ${moments}`);
  if (running) output.line(`history up to position ${running.upTo} is being removed, since ${running.startedAt}`);
  if (last)
    output.line(
      `removed last:  ${last.records} records of ${last.documents} documents, and ${last.uploads} files, up to position ${last.upTo} (${last.completedAt})`,
    );
  if (last && last.left > 0)
    output.line(`left:          ${last.left} documents that were being processed; they have their turn the next time`);
};
