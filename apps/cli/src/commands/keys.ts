import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { collect, labelValues } from '../options.ts';
import type { Session } from '../session.ts';

type CreateOptions = Readonly<{
  team?: readonly string[];
  user?: string;
  role?: readonly string[];
  tenant?: string;
  requireLabel?: Readonly<Record<string, readonly string[]>>;
}>;

export const addKeys: AddCommand = (program, asAction) => {
  const keys = program.command('keys').description('Manage API keys.');
  keys
    .command('create')
    .description('Create an API key. The secret is shown only once.')
    .argument('<name>', 'what the key is for')
    .option('--role <role>', 'role of the key: reader, writer, operator, admin; may be repeated', collect)
    .option('--team <id>', 'team whose scope the key may read; may be repeated', collect)
    .option('--user <id>', 'user whose scope the key may read')
    .option(
      '--require-label <name=value>',
      'the key sees and changes only documents with this label; may be repeated, also for other values',
      labelValues,
    )
    .option('--tenant <id>', 'tenant of the key (operators only)')
    .action(asAction(create));
  keys.command('list', { isDefault: true }).description('List API keys.').action(asAction(list));
  keys.command('whoami').description('Show the tenant, roles and teams of the key in use.').action(asAction(whoami));
  keys.command('revoke').description('Revoke a key. It stops working immediately.').argument('<keyId>').action(asAction(revoke));
};

const create = async (session: Session, options: CreateOptions, name: string): Promise<number> => {
  const { output, signal } = session;
  const { team: teams, role: roles, user, tenant, requireLabel: requiredLabels } = options;
  const created = await session.connect().operations.createApiKey({ name, teams, roles, user, tenant, requiredLabels }, { signal });
  output.result(created, () => {
    output.line(created.key);
    output.note(`created key ${created.keyId} for ${name}; store the secret now, it is shown only once`);
  });
  return EXIT.ok;
};

const list = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const keys = await session.connect().operations.listApiKeys({ signal });
  output.result({ keys }, () =>
    output.table(
      ['id', 'name', 'roles', 'teams', 'user', 'tenant', 'labels'],
      keys.map(({ keyId, name, roles, teams, user, tenant, requiredLabels }) => [
        keyId,
        name,
        roles?.join(' ') ?? '',
        teams?.join(' ') ?? '',
        user ?? '',
        tenant ?? '',
        inWords(requiredLabels),
      ]),
    ),
  );
  return EXIT.ok;
};

/** `department=hr|legal`. */
const inWords = (labels: Readonly<Record<string, readonly string[]>> = {}): string =>
  Object.entries(labels)
    .map(([name, values]) => `${name}=${values.join('|')}`)
    .join(' ');

const whoami = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const caller = await session.connect().me({ signal });
  output.result(caller, () => {
    const { tenant, roles, teams, user, requiredLabels } = caller;
    output.table(
      ['tenant', 'roles', 'teams', 'user', 'labels'],
      [[tenant, roles.join(' '), teams.join(' '), user ?? '', inWords(requiredLabels)]],
    );
  });
  return EXIT.ok;
};

const revoke = async (session: Session, _options: unknown, keyId: string): Promise<number> => {
  const { output, signal } = session;
  await session.connect().operations.revokeApiKey(keyId, { signal });
  output.result({ revoked: keyId }, () => output.line(`revoked ${keyId}`));
  return EXIT.ok;
};
