import type { SeriesBucket } from '@palimpsest/client';
import { CHARTS, columnsOf, figure, summaryOf } from './series.ts';

const aBucket = (at: string, over: Partial<SeriesBucket> = {}): SeriesBucket => ({
  at,
  documentsIndexed: 0,
  documentsFailed: 0,
  chunksIndexed: 0,
  searches: { count: 0 },
  embedding: { count: 0 },
  flush: { count: 0 },
  hit: 0,
  miss: 0,
  empty: 0,
  ...over,
});
const buckets = [
  aBucket('1970-01-01T00:00:10.000Z', { chunksIndexed: 30, documentsIndexed: 5 }),
  aBucket('1970-01-01T00:00:20.000Z', { searches: { count: 2, p50: 4, p95: 9 }, hit: 2, queueDepth: 7 }),
];
const columns = (id: string) => {
  const chart = CHARTS.find((each) => each.id === id);
  if (chart === undefined) throw new Error(id);
  return columnsOf(chart, buckets, 10);
};

describe('the series of the overview', () => {
  it('are rates per second of a bucket', () => {
    expect(columns('indexed')).toEqual([
      [10, 20],
      [0.5, 0],
      [3, 0],
      [0, 0],
    ]);
    expect(columns('searches')[1]).toEqual([0, 0.2]);
  });
  it('have a gap where nothing was measured', () => {
    expect(columns('search-latency').slice(1)).toEqual([
      [null, 4],
      [null, 9],
    ]);
    expect(columns('queue')[1]).toEqual([null, 7]);
    expect(columns('lag')[1]).toEqual([null, null]);
  });
  it('of the installation have gaps for everyone except operators', () => {
    const own = CHARTS.filter(({ operators }) => operators !== true).map(({ id }) => id);
    expect(own).toEqual(['indexed', 'searches', 'search-latency']);
    const { embedding: _embedding, flush: _flush, ...ofTenant } = aBucket('1970-01-01T00:00:10.000Z');
    for (const chart of CHARTS.filter(({ operators }) => operators))
      expect(
        columnsOf(chart, [ofTenant], 10)
          .slice(1)
          .flat()
          .every((value) => value === null),
      ).toBe(true);
  });
  it('are also summarized as text', () => {
    expect(summaryOf([null, 3, 9, 4, null])).toEqual({ last: 4, highest: 9 });
    expect(summaryOf([null])).toEqual({ last: undefined, highest: undefined });
    expect([figure(undefined, 'ms'), figure(0, '/s'), figure(0.256, '/s'), figure(12.34, 'ms'), figure(250.4, '')]).toEqual([
      '–',
      '0/s',
      '0.26/s',
      '12.3 ms',
      '250',
    ]);
  });
});
