import type { LimitOverrides, TenantView, UsageView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Session } from '../session.ts';

type SetOptions = Readonly<{ tier?: string | false; overrides?: string }>;

export const addTenants: AddCommand = (program, asAction) => {
  const tenants = program.command('tenants').description('what tenants may use, and do use');
  tenants.command('list', { isDefault: true }).description('list tenants with their tier and use (operators only)').action(asAction(list));
  tenants.command('usage').description('what the tenant of the key in use has, and may have').action(asAction(usage));
  tenants.command('show').description('one tenant’s limits and use (operators only)').argument('<tenant>').action(asAction(show));
  tenants
    .command('set')
    .description('set a tenant’s limits, in the place of those before (operators only)')
    .argument('<tenant>')
    .option('--tier <name>', 'its tier, one of the settings')
    .option('--no-tier', 'the usual tier')
    .option('--overrides <json>', 'what is otherwise for it, such as {"quotas":{"documents":500}}; null lifts a limit')
    .action(asAction(set));
};

const list = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const tenants = await session.connect().tenants.list({ signal });
  output.result({ tenants }, () =>
    output.table(
      ['tenant', 'tier', 'own limits', 'documents', 'chunks', 'bytes', 'knowledge bases', 'retrievals today'],
      tenants.map((tenant) => [tenant.tenant, tenant.tier ?? '', Object.keys(tenant.assigned.overrides).length > 0 ? 'yes' : '', ...ROWS.slice(0, 5).map((row) => partOf(tenant, row))]),
    ),
  );
  return EXIT.ok;
};

const usage = async (session: Session): Promise<number> => tell(session, await session.connect().tenants.usage({ signal: session.signal }));

const show = async (session: Session, _options: unknown, tenant: string): Promise<number> => tell(session, await session.connect().tenants.limits(tenant, { signal: session.signal }));

/** What is not said is as it was before. */
const set = async (session: Session, { tier, overrides }: SetOptions, tenant: string): Promise<number> => {
  if (tier === undefined && overrides === undefined) throw new UsageError('say --tier, --no-tier or --overrides');
  const wanted = overrides === undefined ? undefined : parsed(overrides);
  const { tenants } = session.connect();
  const { assigned } = await tenants.limits(tenant, { signal: session.signal });
  const limits = { tier: tier === undefined ? assigned.tier : tier === false ? null : tier, overrides: wanted ?? assigned.overrides };
  return tell(session, await tenants.setLimits(tenant, limits, { signal: session.signal }));
};

const parsed = (json: string): LimitOverrides => {
  try {
    return JSON.parse(json) as LimitOverrides;
  } catch {
    throw new UsageError('--overrides: expected JSON, such as {"quotas":{"documents":500}}');
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

const tell = ({ output }: Session, view: UsageView | TenantView): number => {
  output.result(view, () => {
    output.table(['tenant', 'tier', ...ROWS.map(([name]) => name)], [[view.tenant, view.tier ?? '', ...ROWS.map((row) => partOf(view, row))]]);
    const { quotas: _quotas, ...others } = view.limits;
    for (const [name, limit] of Object.entries(others)) output.line(`${name}: ${JSON.stringify(limit)}`);
  });
  return EXIT.ok;
};
