import type { LimitOverrides, TenantView, UsageView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Session } from '../session.ts';
import { addEraseTenant } from './erase-tenant.ts';

type SetOptions = Readonly<{ tier?: string | false; overrides?: string }>;

export const addTenants: AddCommand = (program, asAction) => {
  const tenants = program.command('tenants').description('Show and set the limits of tenants, and erase tenants.');
  tenants.command('list', { isDefault: true }).description('List tenants with their tier and use (operators only).').action(asAction(list));
  tenants.command('usage').description('Show the use and limits of the tenant of the key in use.').action(asAction(usage));
  tenants
    .command('show')
    .description('Show the use and limits of one tenant (operators only).')
    .argument('<tenant>')
    .action(asAction(show));
  tenants
    .command('set')
    .description('Set the limits of a tenant, replacing the previous ones (operators only).')
    .argument('<tenant>')
    .option('--tier <name>', 'tier of the tenant, one of those in the settings')
    .option('--no-tier', 'use the default tier')
    .option('--overrides <json>', 'limits that differ from the tier, such as {"quotas":{"documents":500}}; null removes a limit')
    .action(asAction(set));
  addEraseTenant(tenants, asAction);
};

const list = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const tenants = await session.connect().tenants.list({ signal });
  output.result({ tenants }, () =>
    output.table(
      ['tenant', 'tier', 'own limits', 'documents', 'chunks', 'bytes', 'knowledge bases', 'retrievals today'],
      tenants.map((tenant) => [
        tenant.tenant,
        tenant.tier ?? '',
        Object.keys(tenant.assigned.overrides).length > 0 ? 'yes' : '',
        ...ROWS.slice(0, 5).map((row) => partOf(tenant, row)),
      ]),
    ),
  );
  return EXIT.ok;
};

const usage = async (session: Session): Promise<number> =>
  print(session, await session.connect().tenants.usage({ signal: session.signal }));

const show = async (session: Session, _options: unknown, tenant: string): Promise<number> =>
  print(session, await session.connect().tenants.limits(tenant, { signal: session.signal }));

/** Options that are not given keep their previous values. */
const set = async (session: Session, { tier, overrides }: SetOptions, tenant: string): Promise<number> => {
  if (tier === undefined && overrides === undefined) throw new UsageError('give --tier, --no-tier or --overrides');
  const wanted = overrides === undefined ? undefined : parsed(overrides);
  const { tenants } = session.connect();
  const { assigned } = await tenants.limits(tenant, { signal: session.signal });
  const limits = { tier: tier === undefined ? assigned.tier : tier === false ? null : tier, overrides: wanted ?? assigned.overrides };
  return print(session, await tenants.setLimits(tenant, limits, { signal: session.signal }));
};

const parsed = (json: string): LimitOverrides => {
  try {
    return JSON.parse(json) as LimitOverrides;
  } catch {
    throw new UsageError('--overrides: must be JSON, such as {"quotas":{"documents":500}}');
  }
};

const ROWS = [
  ['documents', 'documents', 'documents'],
  ['chunks', 'chunks', 'chunks'],
  ['bytes', 'bytes', 'bytes'],
  ['knowledge bases', 'knowledgeBases', 'knowledgeBases'],
  ['retrievals today', 'retrievalsToday', 'retrievalsPerDay'],
  ['live streams', 'liveStreams', 'liveStreams'],
] as const satisfies readonly (readonly [string, keyof UsageView['use'], keyof NonNullable<UsageView['limits']['quotas']>])[];

const partOf = ({ use, limits: { quotas = {} } }: UsageView, [, used, quota]: (typeof ROWS)[number]): string => {
  const allowed = quotas[quota];
  return allowed === undefined ? String(use[used]) : `${use[used]} of ${allowed}`;
};

const print = ({ output }: Session, view: UsageView | TenantView): number => {
  output.result(view, () => {
    output.table(
      ['tenant', 'tier', ...ROWS.map(([name]) => name)],
      [[view.tenant, view.tier ?? '', ...ROWS.map((row) => partOf(view, row))]],
    );
    const { quotas: _quotas, ...others } = view.limits;
    for (const [name, limit] of Object.entries(others)) output.line(`${name}: ${JSON.stringify(limit)}`);
  });
  return EXIT.ok;
};
