import { REQUEST_LIMITS } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import { noteMore } from '../render/more.ts';
import type { Session } from '../session.ts';

export const addDeadLetters: AddCommand = (program, asAction) => {
  const letters = program.command('dead-letters').description('Manage failed jobs (operators only).');
  letters
    .command('list', { isDefault: true })
    .description('List the jobs that failed after their last attempt, oldest first.')
    .option('--topic <topic>', 'only jobs of this topic')
    .option('--limit <n>', 'maximum number of jobs', wholeNumber(1, REQUEST_LIMITS.page.deadLetters - 1), 100)
    .action(asAction(list));
  letters.command('retry').description('Put jobs back into their queue.').argument('<id...>').action(asAction(retry));
  letters
    .command('discard')
    .description('Delete jobs without running them. Their documents do not change.')
    .argument('<id...>')
    .action(asAction(discard));
};

type ListOptions = Readonly<{ topic?: string; limit: number }>;

const list = async (session: Session, { topic, limit }: ListOptions): Promise<number> => {
  const { output, signal } = session;
  // Requests one more than it shows, to learn whether there are more.
  const found = await session.connect().operations.deadLetters({ topic, limit: limit + 1, signal });
  const deadLetters = found.slice(0, limit);
  const more = found.length > limit;
  output.result({ deadLetters, more }, () => {
    output.table(
      ['id', 'topic', 'job', 'attempts', 'failed at', 'error'],
      deadLetters.map(({ id, topic: of, key, attempts, failedAt, error }) => [id, of, key, String(attempts), failedAt, error]),
    );
    noteMore(output, { shown: deadLetters.length, more, what: 'dead letters' });
  });
  return EXIT.ok;
};

const retry = async (session: Session, _options: unknown, ids: readonly string[]): Promise<number> => {
  const { output, signal } = session;
  for (const id of ids) await session.connect().operations.retryDeadLetter(id, { signal });
  output.result({ retried: ids }, () => ids.forEach((id) => output.line(`queued again: ${id}`)));
  return EXIT.ok;
};

const discard = async (session: Session, _options: unknown, ids: readonly string[]): Promise<number> => {
  const { output, signal } = session;
  for (const id of ids) await session.connect().operations.discardDeadLetter(id, { signal });
  output.result({ discarded: ids }, () => ids.forEach((id) => output.line(`discarded ${id}`)));
  return EXIT.ok;
};
