import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { collect } from '../options.ts';
import type { Session } from '../session.ts';

type CreateOptions = Readonly<{ team?: readonly string[]; user?: string; role?: readonly string[]; tenant?: string }>;

export const addKeys: AddCommand = (program, asAction) => {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('make a key; it is shown this once')
    .argument('<name>', 'what it is for')
    .option('--role <role>', 'what it may do: reader, writer, operator, admin; may be repeated', collect)
    .option('--team <id>', 'whose team scope it may read; may be repeated', collect)
    .option('--user <id>', 'whose user scope it may read')
    .option('--tenant <id>', 'for another tenant (operators only)')
    .action(asAction(create));
  keys.command('list', { isDefault: true }).description('list keys').action(asAction(list));
  keys.command('whoami').description('what the key in use stands for').action(asAction(whoami));
  keys.command('revoke').description('make a key useless at once').argument('<keyId>').action(asAction(revoke));
};

const create = async (session: Session, options: CreateOptions, name: string): Promise<number> => {
  const { output, signal } = session;
  const { team: teams, role: roles, user, tenant } = options;
  const created = await session.connect().operations.createApiKey({ name, teams, roles, user, tenant }, { signal });
  output.result(created, () => {
    output.line(created.key);
    output.note(`key ${created.keyId} for ${name}; it is stored nowhere, so keep it now`);
  });
  return EXIT.ok;
};

const list = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const keys = await session.connect().operations.listApiKeys({ signal });
  output.result({ keys }, () =>
    output.table(
      ['id', 'name', 'roles', 'teams', 'user', 'tenant'],
      keys.map(({ keyId, name, roles, teams, user, tenant }) => [
        keyId,
        name,
        roles?.join(' ') ?? '',
        teams?.join(' ') ?? '',
        user ?? '',
        tenant ?? '',
      ]),
    ),
  );
  return EXIT.ok;
};

const whoami = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const caller = await session.connect().me({ signal });
  output.result(caller, () => {
    const { tenant, roles, teams, user } = caller;
    output.table(['tenant', 'roles', 'teams', 'user'], [[tenant, roles.join(' '), teams.join(' '), user ?? '']]);
  });
  return EXIT.ok;
};

const revoke = async (session: Session, _options: unknown, keyId: string): Promise<number> => {
  const { output, signal } = session;
  await session.connect().operations.revokeApiKey(keyId, { signal });
  output.result({ revoked: keyId }, () => output.line(`revoked ${keyId}`));
  return EXIT.ok;
};
