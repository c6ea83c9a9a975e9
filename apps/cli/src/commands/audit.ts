import { REQUEST_LIMITS } from '@palimpsest/client';
import { Option } from 'commander';
import type { AuditEntry, AuditOutcome } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { anyLength } from '../options.ts';
import { cut } from '../render/highlight.ts';
import { noteMore } from '../render/more.ts';
import type { Session } from '../session.ts';

type Options = Readonly<{
  actor?: string;
  operation?: string;
  target?: string;
  outcome?: AuditOutcome;
  since?: string;
  until?: string;
  tenant?: string;
  denied?: boolean;
  limit: number;
}>;

export const addAudit: AddCommand = (program, asAction) => {
  program
    .command('audit')
    .description('List who did what, when and from where, newest first. For admins and operators.')
    .option('--actor <actor>', 'only requests of this key: key:<id>')
    .option('--operation <route>', 'only this route, such as /v1/documents/:id')
    .option('--target <id>', 'only requests that named this ID')
    .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(['allowed', 'denied', 'failed']))
    .option('--since <time>', 'only from this time on (ISO 8601, UTC)')
    .option('--until <time>', 'only up to this time (ISO 8601, UTC)')
    .option('--tenant <tenant>', 'only this tenant (operators only)')
    .option('--denied', 'only attempts without a valid key (operators only)')
    .option('--limit <number>', 'maximum number of entries', anyLength, 50)
    .action(asAction(audit));
};

const audit = async (session: Session, { limit, ...query }: Options): Promise<number> => {
  const { output, signal } = session;
  const found: AuditEntry[] = [];
  // Reads one more than it shows, to learn whether there are more.
  for await (const entry of session
    .connect()
    .operations.auditAll({ ...query, limit: Math.min(limit + 1, REQUEST_LIMITS.page.audit) }, { signal }))
    if (found.push(entry) > limit) break;
  const entries = found.slice(0, limit);
  const more = found.length > limit;
  output.result({ entries, more }, () => {
    if (entries.length === 0) output.line('no entries');
    else output.table(['time', 'actor', 'from', 'request', 'targets', 'status', 'count'], entries.map(rowOf));
    noteMore(output, { shown: entries.length, more, what: 'entries' });
  });
  return EXIT.ok;
};

const rowOf = ({ at, actor, user, from, method, operation, targets, status, problem, count, dropped }: AuditEntry): readonly string[] => [
  at,
  cut(user === undefined ? actor : `${actor} (${user})`, 60),
  from ?? '',
  `${method} ${operation}`,
  cut(targets.join(' '), 60),
  problem === undefined ? String(status) : `${status} ${problem}`,
  dropped === undefined ? String(count) : `${count}, ${dropped} more not listed`,
];
