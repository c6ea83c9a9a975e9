import { useQuery } from '@tanstack/react-query';
import type { UsageView } from '@palimpsest/client';
import { bytes, count } from '../format/format.ts';
import { useSession } from '../session/session.ts';

const POLL_MS = 15_000;

type Row = Readonly<{ name: string; used: keyof UsageView['use']; quota: keyof NonNullable<UsageView['limits']['quotas']>; told: (value: number) => string }>;

const ROWS: readonly Row[] = [
  { name: 'documents in use', used: 'documents', quota: 'documents', told: count },
  { name: 'chunks in use', used: 'chunks', quota: 'chunks', told: count },
  { name: 'storage in use', used: 'bytes', quota: 'bytes', told: bytes },
  { name: 'knowledge bases', used: 'knowledgeBases', quota: 'knowledgeBases', told: count },
  { name: 'retrievals today', used: 'retrievalsToday', quota: 'retrievalsPerDay', told: count },
];

/** What the tenant has of what it may have; nothing where it has no quotas. */
export function TenantUse() {
  const { client } = useSession();
  const { data } = useQuery({ queryKey: ['usage'], queryFn: ({ signal }) => client.tenants.usage({ signal }), refetchInterval: POLL_MS });
  const quotas = data?.limits.quotas ?? {};
  const limited = ROWS.filter(({ quota }) => quotas[quota] !== undefined);
  if (!data || limited.length === 0) return null;
  return (
    <section aria-labelledby="use">
      <h2 id="use">What {data.tenant} uses{data.tier === null ? '' : ` of the tier ${data.tier}`}</h2>
      <dl className="tiles uses">
        {limited.map(({ name, used, quota, told }) => (
          <div key={quota} className="card tile">
            <dt>{name}</dt>
            <dd>{told(data.use[used])} <span className="muted">of {told(quotas[quota] ?? 0)}</span></dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
