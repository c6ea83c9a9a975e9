import type { SeriesBucket } from '@palimpsest/client';

export type Line = Readonly<{ name: string; unit: string; valueOf: (bucket: SeriesBucket, bucketSeconds: number) => number | undefined }>;
/** `operators`: the chart shows the work of all tenants, so only operators see it. */
export type ChartOf = Readonly<{ id: string; title: string; about: string; lines: readonly Line[]; operators?: true }>;

/** The charts of the overview. Rates are per second of the bucket. A gauge has a gap where no value was sampled. */
export const CHARTS: readonly ChartOf[] = [
  {
    id: 'indexed',
    title: 'Indexed',
    about: 'per second',
    lines: [
      { name: 'documents', unit: '/s', valueOf: ({ documentsIndexed }, seconds) => documentsIndexed / seconds },
      { name: 'chunks', unit: '/s', valueOf: ({ chunksIndexed }, seconds) => chunksIndexed / seconds },
      { name: 'failed documents', unit: '/s', valueOf: ({ documentsFailed }, seconds) => documentsFailed / seconds },
    ],
  },
  {
    id: 'searches',
    title: 'Searches',
    about: 'per second, by outcome',
    lines: [
      { name: 'relevant', unit: '/s', valueOf: ({ hit }, seconds) => hit / seconds },
      { name: 'not relevant', unit: '/s', valueOf: ({ miss }, seconds) => miss / seconds },
      { name: 'no results', unit: '/s', valueOf: ({ empty }, seconds) => empty / seconds },
    ],
  },
  {
    id: 'search-latency',
    title: 'Search latency',
    about: 'milliseconds',
    lines: [
      { name: 'p50', unit: 'ms', valueOf: ({ searches }) => searches.p50 },
      { name: 'p95', unit: 'ms', valueOf: ({ searches }) => searches.p95 },
    ],
  },
  {
    id: 'embedding-latency',
    operators: true,
    title: 'Embedding latency',
    about: 'milliseconds',
    lines: [
      { name: 'p50', unit: 'ms', valueOf: ({ embedding }) => embedding?.p50 },
      { name: 'p95', unit: 'ms', valueOf: ({ embedding }) => embedding?.p95 },
    ],
  },
  {
    id: 'queue',
    operators: true,
    title: 'Queue',
    about: 'waiting documents',
    lines: [{ name: 'depth', unit: '', valueOf: ({ queueDepth }) => queueDepth }],
  },
  {
    id: 'lag',
    operators: true,
    title: 'Read model lag',
    about: 'milliseconds',
    lines: [{ name: 'lag', unit: 'ms', valueOf: ({ lagMs }) => lagMs }],
  },
];

/** The columns of a chart: seconds since 1970, then one list per line, with `null` for a gap. */
export const columnsOf = (
  { lines }: ChartOf,
  buckets: readonly SeriesBucket[],
  bucketSeconds: number,
): readonly (readonly (number | null)[])[] => [
  buckets.map(({ at }) => Date.parse(at) / 1000),
  ...lines.map(({ valueOf }) => buckets.map((bucket) => valueOf(bucket, bucketSeconds) ?? null)),
];

/** The text summary of a line: its last and its highest value. */
export const summaryOf = (values: readonly (number | null)[]): Readonly<{ last: number | undefined; highest: number | undefined }> => {
  const known = values.filter((value) => value !== null);
  return { last: known.at(-1), highest: known.length === 0 ? undefined : Math.max(...known) };
};

export const figure = (value: number | undefined, unit: string): string => {
  if (value === undefined) return '–';
  const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '' ? '' : `${unit.startsWith('/') ? '' : ' '}${unit}`}`;
};
