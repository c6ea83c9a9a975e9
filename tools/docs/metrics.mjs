/** docs/reference/metrics.md, from the help texts of the registry and from the alert rules. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { inRoot } from '../setup/workspace.mjs';
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';

/** The values of each label. Generating the page fails for a label that is missing here. */
const LABELS = {
  cache: '`hit`, `miss`',
  category: 'kind of stream: `document`, `knowledge_base`, `scope`, `tenant`, `_platform.retrieval`',
  code: 'code of the [problem](http-api.md): `RateLimited`, `QuotaExceeded`, `Overloaded`, …',
  group: '`ingestion-worker`, `reembedding-worker`, `retrieval-recorder`',
  kind: 'of texts `passage`, `query`; of differences `missing`, `extra`, `different`',
  made_from: '`copy` (of the live read models), `log`',
  method: 'HTTP method of the request',
  outcome: 'of deliveries `settled`, `failed`; of rerankings `blended`, `abstained`, `skipped`',
  projection: '`catalog`, `vectors`, `lexical`',
  reason:
    'of stages `over-budget`, `unavailable`; of models `changed` (another model has its name), `circuit-open` (its endpoint failed several times in a row)',
  route: 'template of the path, such as `/v1/documents/:id`; `unknown` if there is no route',
  source: 'figures that could not be read',
  state:
    'of documents `pending`, `processing`, `indexed`, `failed`; of fleets and their scopes as in [the API](http-api.md#fleets); of swaps `building`, `paused`, `failed` (paused by the platform), `ready` (waits for its evaluation or its cut-over); of ranges `done`, `open`',
  stage: 'as in the [timings](http-api.md) of a search: `embed`, `dense`, `lexical`, `rerank`, …',
  status: '`2xx`, `3xx`, `4xx`, `5xx`; `aborted` if the caller disconnected',
  store: 'of the read models: `vectors`, `lexical`, `catalog`',
  topic: '`palimpsest.ingestion`, `palimpsest.reembedding`, `palimpsest.retrieval`',
  type: 'type of the event',
  work: '`search` (searches and contexts), `write`, `read`',
  verdict: '`not-worse`, `worse`, `undecided`',
  version: 'version of the embedding model; in `palimpsest_build_info`, version of the release',
};

const alerts = () => parse(readFileSync(inRoot('docker/prometheus/alerts.yml'), 'utf8')).groups.flatMap(({ rules }) => rules);

export const page = async () => {
  const { createMetrics } = await import(inRoot('libs/telemetry/src/metrics/create-metrics.ts'));
  const metrics = createMetrics({ service: 'docs' }).registry.getMetricsAsArray();
  const ours = metrics.filter(({ name }) => name.startsWith('palimpsest_')).sort((a, b) => (a.name < b.name ? -1 : 1));
  const labels = [...new Set(ours.flatMap(({ labelNames }) => labelNames))].sort();
  const unexplained = labels.filter((label) => !(label in LABELS));
  if (unexplained.length > 0) throw new Error(`tools/docs/metrics.mjs does not describe these labels: ${unexplained.join(', ')}`);
  return pageOf(
    '# Metrics',
    GENERATED,
    '`GET /metrics` returns metrics in the Prometheus text format, on the port of the API and without a key. `PALIMPSEST_METRICS=false` disables it. Metrics describe the installation or the process, never a single tenant, and no label names a document, a text or a person. Values are refreshed at most once a second.',
    'Every sample has the label `service` (`platform`, or the name of the service). A process reports only what it knows: a missing metric is unknown, not 0. Aggregate metrics that are the same in every process (lag, documents, chunks, queue) with `max by (…)`, and metrics that each process counts for itself with `sum by (…)`.',
    '## Metrics',
    table(
      ['metric', 'type', 'labels', 'meaning'],
      ours.map(({ name, type, labelNames, help }) => [code(name), type, labelNames.map(code).join(', '), help]),
    ),
    'A histogram is exported as `_bucket`, `_sum` and `_count`. In addition, `process_*` and `nodejs_*` report CPU time, memory, open files, garbage collection and the lag of the event loop.',
    '## Labels',
    table(
      ['label', 'values'],
      labels.map((label) => [code(label), LABELS[label]]),
    ),
    '## Metrics for autoscaling',
    'Ingestion: `max(palimpsest_queue_depth_documents)`, since most waiting documents are queued before the bus, where tenants take turns. Re-embedding: `max by (topic, group) (palimpsest_bus_lag_messages{topic="palimpsest.reembedding"})`. Queries: the rate and the percentiles of `palimpsest_http_request_duration_seconds`.',
    '## Alerts',
    table(
      ['expression', 'for', 'meaning'],
      alerts().map(({ expr, for: time, annotations }) => [code(expr), time ?? '', annotations.summary]),
    ),
    'These rules are in `docker/prometheus/alerts.yml`; [what to do about them](../how-to/alerts.md). The dashboard in `docker/grafana/dashboards/palimpsest.json` shows the metrics.',
  );
};
