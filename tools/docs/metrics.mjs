/** docs/reference/metrics.md, from the help texts of the registry and from the rules of the alerts. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { inRoot } from '../setup/workspace.mjs';
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';

/** What a label's values are; a label without a meaning here ends the making of the page. */
const LABELS = {
  cache: '`hit`, `miss`',
  category: 'what a stream is about: `document`, `knowledge_base`, `scope`, `tenant`, `_platform.retrieval`',
  code: 'of the [problem](http-api.md): `RateLimited`, `QuotaExceeded`, `Overloaded`, …',
  group: '`ingestion-worker`, `reembedding-worker`, `retrieval-recorder`',
  kind: '`passage`, `query`',
  method: 'of the request',
  outcome: '`settled`, `failed`',
  projection: '`catalog`, `vectors`, `lexical`',
  route: 'template of the path, like `/v1/documents/:id`; `unknown` for what has no route',
  source: 'which figures were not to be had',
  state: '`pending`, `processing`, `indexed`, `failed`',
  status: '`2xx`, `3xx`, `4xx`, `5xx`; `aborted` when the caller left',
  topic: '`palimpsest.ingestion`, `palimpsest.reembedding`, `palimpsest.retrieval`',
  type: 'of the event',
  work: '`search` (searches and contexts), `write`, `read`',
  version: 'of the embedding model; of the release in `palimpsest_build_info`',
};

const alerts = () => parse(readFileSync(inRoot('docker/prometheus/alerts.yml'), 'utf8')).groups.flatMap(({ rules }) => rules);

export const page = async () => {
  const { createMetrics } = await import(inRoot('libs/host/src/telemetry/metrics/create-metrics.ts'));
  const metrics = createMetrics({ service: 'docs' }).registry.getMetricsAsArray();
  const ours = metrics.filter(({ name }) => name.startsWith('palimpsest_')).sort((a, b) => (a.name < b.name ? -1 : 1));
  const labels = [...new Set(ours.flatMap(({ labelNames }) => labelNames))].sort();
  const unexplained = labels.filter((label) => !(label in LABELS));
  if (unexplained.length > 0) throw new Error(`labels without a meaning in this page: ${unexplained.join(', ')}`);
  return pageOf(
    '# Metrics',
    GENERATED,
    '`GET /metrics` answers in the text format of Prometheus, on the port of the API and without a key; `PALIMPSEST_METRICS=false` takes it away. The figures are those of the installation or of the process, never of a tenant, and no label names a document, a text or a person. They are read at most once a second, however often somebody asks.',
    'Every sample has the label `service` (`platform`, or the name of the service). A process tells what it knows: a metric that is not there is unknown, not 0. What is the same from every process (lag, documents, chunks, queue) is to be read with `max by (…)`, what a process counts for itself with `sum by (…)`.',
    '## Metrics',
    table(['metric', 'type', 'labels', 'meaning'], ours.map(({ name, type, labelNames, help }) => [code(name), type, labelNames.map(code).join(', '), help])),
    'A histogram comes as `_bucket`, `_sum` and `_count`. Beside these, `process_*` and `nodejs_*` tell CPU time, memory, open files, garbage collection and the lag of the event loop.',
    '## Labels',
    table(['label', 'values'], labels.map((label) => [code(label), LABELS[label]])),
    '## To scale on',
    'Ingestion: `max(palimpsest_queue_depth_documents)`, since most of what waits is in front of the bus, where each tenant has its turn. Re-embedding: `max by (topic, group) (palimpsest_bus_lag_messages{topic="palimpsest.reembedding"})`. Queries: the rate and the percentiles of `palimpsest_http_request_duration_seconds`.',
    '## To be woken by',
    table(['expression', 'for', 'means'], alerts().map(({ expr, for: time, annotations }) => [code(expr), time, annotations.summary])),
    'These are the rules of `docker/prometheus/alerts.yml`; `docker/grafana/dashboards/palimpsest.json` draws the metrics.',
  );
};
