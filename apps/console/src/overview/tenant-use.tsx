import { useQuery } from '@tanstack/react-query';
import type { UsageView } from '@palimpsest/client';
import { bytes, count } from '../format/format.ts';
import { useSession } from '../session/session.ts';

const POLL_MS = 15_000;

type Row = Readonly<{
  name: string;
  used: keyof UsageView['use'];
  quota: keyof NonNullable<UsageView['limits']['quotas']>;
  format: (value: number) => string;
}>;

const ROWS: readonly Row[] = [
  { name: 'documents in use', used: 'documents', quota: 'documents', format: count },
  { name: 'chunks in use', used: 'chunks', quota: 'chunks', format: count },
  { name: 'storage in use', used: 'bytes', quota: 'bytes', format: bytes },
  { name: 'knowledge bases', used: 'knowledgeBases', quota: 'knowledgeBases', format: count },
  { name: 'retrievals today', used: 'retrievalsToday', quota: 'retrievalsPerDay', format: count },
];

/** How much of its quotas the tenant uses. Nothing is shown for a tenant without quotas. */
export function TenantUse() {
  const { client } = useSession();
  const { data } = useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => client.tenants.usage({ signal }), refetchInterval: POLL_MS });
  const quotas = data?.limits.quotas ?? {};
  const limited = ROWS.filter(({ quota }) => quotas[quota] !== undefined);
  if (!data || limited.length === 0) return null;
  return (
    <section aria-labelledby="use">
      <h2 id="use">
        Usage of {data.tenant}
        {data.tier === null ? '' : ` (tier ${data.tier})`}
      </h2>
      <dl className="tiles uses">
        {limited.map(({ name, used, quota, format }) => (
          <div key={quota} className="card tile">
            <dt>{name}</dt>
            <dd>
              {format(data.use[used])} <span className="muted">of {format(quotas[quota] ?? 0)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
