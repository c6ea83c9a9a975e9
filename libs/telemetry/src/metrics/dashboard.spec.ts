import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { createMetrics } from './create-metrics.ts';

const docker = (file: string): string => readFileSync(new URL(`../../../../docker/${file}`, import.meta.url), 'utf8');

type Target = Readonly<{ expr: string; refId: string }>;
type Panel = Readonly<{
  id: number;
  type: string;
  title: string;
  targets?: readonly Target[];
  fieldConfig?: Readonly<{ defaults: Readonly<{ unit?: string }> }>;
}>;
type Dashboard = Readonly<{ uid: string; panels: readonly Panel[]; templating: Readonly<{ list: readonly Readonly<{ name: string }>[] }> }>;
type Rules = Readonly<{
  groups: readonly Readonly<{ rules: readonly Readonly<{ alert: string; expr: string; annotations: Readonly<{ summary: string }> }>[] }>[];
}>;

type Known = Readonly<{ type: string; labels: readonly string[] }>;

/** All valid names in an expression, with the labels of their samples. */
const known = new Map<string, Known>(
  (
    createMetrics({ service: 'test' }).registry.getMetricsAsArray() as unknown as readonly {
      name: string;
      type: string;
      labelNames: readonly string[];
    }[]
  ).flatMap(({ name, type, labelNames }) => {
    const labels = [...labelNames, 'service', 'instance', 'job'];
    if (type !== 'histogram') return [[name, { type, labels }] as const];
    return ['_bucket', '_sum', '_count'].map(
      (suffix) => [`${name}${suffix}`, { type: suffix, labels: suffix === '_bucket' ? [...labels, 'le'] : labels }] as const,
    );
  }),
);

const metricsIn = (expr: string): readonly string[] => [
  ...new Set([...expr.matchAll(/\b(?:palimpsest|process|nodejs)_\w+/g)].map(([name]) => name)),
];

/** Labels in selectors, and in `by (…)`. */
const labelsIn = (expr: string): readonly string[] => [
  ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
    [...inside.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  ),
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = '']) => inside.split(',').map((label) => label.trim())),
];

/** Unknown names, and labels that none of the metrics has. */
const mistakesIn = (expr: string): readonly string[] => {
  const metrics = metricsIn(expr);
  const labels = metrics.flatMap((name) => known.get(name)?.labels ?? []);
  return [
    ...metrics.filter((name) => !known.has(name)),
    ...(metrics.length > 0
      ? labelsIn(expr)
          .filter((label) => !labels.includes(label))
          .map((label) => `label ${label}`)
      : []),
  ];
};

const dashboard = JSON.parse(docker('grafana/dashboards/palimpsest.json')) as Dashboard;
const targets = dashboard.panels.flatMap(({ targets: all = [] }) => all);
const alerts = (parse(docker('prometheus/alerts.yml')) as Rules).groups.flatMap(({ rules }) => rules);

describe('the dashboard and the alerts', () => {
  it('detect unknown names', () => {
    expect(mistakesIn('sum by (le, tenant) (rate(palimpsest_append_duration_seconds_bucket{kind="x"}[5m]))')).toEqual([
      'label kind',
      'label tenant',
    ]);
    expect(mistakesIn('palimpsest_nothing_total + palimpsest_append_duration_seconds')).toEqual([
      'palimpsest_nothing_total',
      'palimpsest_append_duration_seconds',
    ]);
  });

  it.each([...targets, ...alerts])('use existing metrics and labels: $expr', ({ expr }) => {
    expect(mistakesIn(expr)).toEqual([]);
  });

  it('use counters only in rates, and gauges never', () => {
    for (const { expr } of [...targets, ...alerts])
      for (const name of metricsIn(expr)) {
        const counts = known.get(name)?.type !== 'gauge';
        expect({ expr, name, rated: new RegExp(`rate\\(${name}[{[]`).test(expr) }).toEqual({ expr, name, rated: counts });
      }
  });

  it('show every metric of the platform', () => {
    const shown = new Set(
      [...targets, ...alerts].flatMap(({ expr }) => metricsIn(expr)).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    const all = new Set(
      [...known.keys()].filter((name) => name.startsWith('palimpsest_')).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    // Not shown in a panel: `build_info`, and names that are deprecated.
    const deprecated = [
      'palimpsest_door_active_requests',
      'palimpsest_door_waiting_requests',
      'palimpsest_door_refused_total',
      'palimpsest_retrieval_traces_dropped_total',
    ];
    expect([...all].filter((name) => !shown.has(name)).sort()).toEqual(['palimpsest_build_info', ...deprecated].sort());
  });

  it('have panels with unique ids, titles and units, and alerts with a summary', () => {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, targets: all = [], fieldConfig } of panels)
      expect({ title, targets: all.length > 0, unit: fieldConfig?.defaults.unit }).toEqual({
        title: expect.stringMatching(/\w/),
        targets: true,
        unit: expect.any(String),
      });
    for (const { alert, annotations } of alerts)
      expect({ alert, summary: annotations.summary }).toEqual({
        alert: expect.stringMatching(/^Palimpsest[A-Z]/),
        summary: expect.stringMatching(/\w+ \w+/),
      });
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'service']);
  });

  it('have instructions for every alert', () => {
    const guide = readFileSync(new URL('../../../../docs/how-to/alerts.md', import.meta.url), 'utf8');
    const described = [...guide.matchAll(/^(?:## |\| `)(Palimpsest\w+)/gm)].map(([, name]) => name);
    expect(described.toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
  });

  it('refer to the provisioned services, data source and folder', () => {
    const { scrape_configs: jobs, rule_files: rules } = parse(docker('prometheus/prometheus.yml')) as {
      rule_files: string[];
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    expect(jobs.map(({ job_name: job, dns_sd_configs: [found] }) => [job, found?.names, found?.port])).toEqual([
      ['ingestion', ['ingestion'], 7331],
      ['reembedding', ['reembedding'], 7332],
      ['query', ['query'], 7333],
    ]);
    expect(rules).toEqual(['alerts.yml']);
    const sources = parse(docker('grafana/provisioning/datasources/prometheus.yaml')) as { datasources: { uid: string; type: string }[] };
    expect(sources.datasources).toMatchObject([{ uid: 'prometheus', type: 'prometheus' }]);
    const { service } = parse(docker('otel/collector.yaml')) as { service: { pipelines: { traces: Record<string, string[]> } } };
    expect(service.pipelines.traces['receivers']).toEqual(['otlp']);
  });
});
