import type { LatencyView, OverviewView, RagHealth, TenantHealth } from '@palimpsest/client';
import { count, counted, milliseconds } from '../format/format.ts';
import { StatusBadge } from '../ui/status-badge.tsx';

const latency = ({ count: measured, p50, p95 }: LatencyView): string =>
  measured === 0 || p50 === undefined || p95 === undefined
    ? 'no data'
    : `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)} (${count(measured)})`;

/** Meanings of the codes of `/health/rag`. */
const REASONS: Readonly<Record<string, string>> = {
  'projection-failing': 'a projection keeps failing',
  'catching-up': 'the read models are catching up',
  'projection-behind': 'the read models are behind the log',
  'queue-nearly-full': 'the queue is almost full',
  'embedding-failing': 'the embedding model is failing',
  'slow-flushes': 'the disk is slow',
  'model-missing': 'the embedding model of a scope is not configured: the scope is searched by words only, and new documents wait',
  'read-models-differ': 'the last verification found read models that differ from the log',
  'stored-data-damaged': 'the last verification found damage of the log, keys or uploads',
  'figures-missing': 'some figures are not available',
};

export function LastMinute({ overview }: Readonly<{ overview: OverviewView }>) {
  const { status, reasons, windowSeconds, retrievals } = overview.health;
  const { hit, miss, empty } = retrievals;
  return (
    <section aria-labelledby="last-minute">
      <h2 id="last-minute">
        The last {windowSeconds} seconds <StatusBadge status={status} />
      </h2>
      {reasons.length > 0 && <p className="notice">{reasons.map((reason) => REASONS[reason] ?? reason).join('; ')}</p>}
      <dl className="facts card">
        <div>
          <dt>Retrievals</dt>
          <dd>
            {hit} relevant, {miss} not relevant, {empty} without results
          </dd>
        </div>
        <div>
          <dt>Search latency</dt>
          <dd>{latency(retrievals.latency)}</dd>
        </div>
        {overview.of === 'readable' ? <OfTenant health={overview.health} /> : <OfInstallation health={overview.health} />}
      </dl>
    </section>
  );
}

function OfTenant({ health: { documents } }: Readonly<{ health: TenantHealth }>) {
  return (
    <div>
      <dt>Documents</dt>
      <dd>
        {count(documents.indexed)} indexed, {count(documents.failed)} failed
      </dd>
    </div>
  );
}

function OfInstallation({ health: { embedding, queue, flush, projection } }: Readonly<{ health: RagHealth }>) {
  return (
    <>
      <div>
        <dt>Embedding latency</dt>
        <dd>
          {latency(embedding)}
          {embedding.failures > 0 && `, ${counted(embedding.failures, 'failure')}`}
        </dd>
      </div>
      <div>
        <dt>Log write latency</dt>
        <dd>{latency(flush)}</dd>
      </div>
      <div>
        <dt>Queue</dt>
        <dd>
          {queue.depth === undefined ? 'unknown' : `${count(queue.depth)} of ${count(queue.capacity ?? 0)}`}
          {queue.held !== undefined && queue.held > 0 && `, ${count(queue.held)} held back`}
        </dd>
      </div>
      <div>
        <dt>Read models</dt>
        <dd>
          {projection.lagPositions === undefined
            ? 'unknown'
            : projection.lagPositions === 0
              ? 'up to date'
              : `${count(projection.lagPositions)} positions${projection.lagMs === undefined ? '' : `, ${milliseconds(projection.lagMs)}`} behind`}
        </dd>
      </div>
    </>
  );
}
