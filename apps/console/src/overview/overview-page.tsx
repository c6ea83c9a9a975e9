import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { OverviewView } from '@palimpsest/client';
import { count } from '../format/format.ts';
import { useSession } from '../session/session.ts';
import { PageTitle } from '../shell/page-title.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { Chart } from './chart.tsx';
import { LastMinute } from './last-minute.tsx';
import { Rebuild } from './rebuild.tsx';
import { CHARTS } from './series.ts';
import { TenantUse } from './tenant-use.tsx';
import { Verifications } from './verifications.tsx';

const POLL_MS = 5_000;

export function OverviewPage() {
  const { client, rights } = useSession();
  const { data, error } = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => client.operations.overview({ signal }),
    refetchInterval: POLL_MS,
  });
  return (
    <>
      <PageTitle
        lead={
          data?.of === 'readable'
            ? 'Health and activity of the data that your key can read.'
            : 'Health and activity of the whole installation.'
        }
      >
        Overview
      </PageTitle>
      <ProblemNotice error={error} />
      {data === undefined && error === null && (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
      {data && (
        <>
          <Counts overview={data} linked={rights.reads} />
          <TenantUse />
          {rights.operates && <Rebuild />}
          {rights.operates && <Verifications />}
          <LastMinute overview={data} />
          <section aria-labelledby="series">
            <h2 id="series">The last {Math.round((data.series.buckets.length * data.series.bucketSeconds) / 60)} minutes</h2>
            <div className="charts">
              {CHARTS.filter(({ operators }) => data.of === 'installation' || operators !== true).map((chart) => (
                <Chart key={chart.id} chart={chart} {...data.series} />
              ))}
            </div>
          </section>
        </>
      )}
    </>
  );
}

function Counts({ overview: { documents, chunks }, linked }: Readonly<{ overview: OverviewView; linked: boolean }>) {
  const states = ['indexed', 'processing', 'pending', 'failed'] as const;
  return (
    <section aria-labelledby="counts">
      <h2 id="counts">Documents and chunks</h2>
      <dl className="tiles">
        {states.map((state) => (
          <div key={state} className="card tile">
            <dt>
              <StatusBadge status={state} />
            </dt>
            <dd>{linked ? <Link to={`/documents?status=${state}`}>{count(documents[state])}</Link> : count(documents[state])}</dd>
          </div>
        ))}
        <div className="card tile">
          <dt>held back</dt>
          <dd>{count(documents.held)}</dd>
        </div>
        <div className="card tile">
          <dt>chunks</dt>
          <dd>{count(chunks)}</dd>
        </div>
      </dl>
    </section>
  );
}
