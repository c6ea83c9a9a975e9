import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { SeriesBucket } from '@palimpsest/client';
import { dateTime } from '../format/format.ts';
import { columnsOf, figure, summaryOf, type ChartOf } from './series.ts';

type Props = Readonly<{ chart: ChartOf; buckets: readonly SeriesBucket[]; bucketSeconds: number }>;

const HEIGHT = 170;
/** Lines can also be distinguished without colours. */
const DASHES: readonly number[][] = [[], [6, 4], [2, 3]];

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A value between two gaps has no visible line, so it gets a point. */
const isolated = (values: Iterable<number | null | undefined>): number[] => {
  const all = [...values];
  return all.flatMap((value, index) => (value != null && all[index - 1] == null && all[index + 1] == null ? [index] : []));
};

const optionsOf = ({ lines }: ChartOf, width: number): uPlot.Options => {
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const points: uPlot.Series.Points = { show: true, size: 6, filter: (plot, series) => isolated(plot.data[series] ?? []) };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, values: '{HH}:{mm}', space: 70, size: 28 },
      { ...axis, size: 52 },
    ],
    series: [
      {},
      ...lines.map((line, index) => ({
        label: line.name,
        stroke: colour(`--series-${index + 1}`),
        width: 2,
        dash: DASHES[index] ?? [],
        points,
      })),
    ],
  };
};

/** A chart, and a table with the same figures for screen readers. */
export function Chart({ chart, buckets, bucketSeconds }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const columns = columnsOf(chart, buckets, bucketSeconds);
  const data = columns as unknown as uPlot.AlignedData;
  const draw = useEffectEvent((element: HTMLElement): void => {
    plot.current?.destroy();
    plot.current = new uPlot(optionsOf(chart, element.clientWidth), data, element);
  });
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const redraw = (): void => draw(element);
    redraw();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // A drawn chart keeps its colours, so a change of the colour scheme redraws it.
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    window.addEventListener('palimpsest:theme', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
      window.removeEventListener('palimpsest:theme', redraw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);
  useEffect(() => plot.current?.setData(data));
  const { id, title, about, lines } = chart;
  return (
    <section className="card chart" aria-labelledby={`chart-${id}`}>
      <h3 id={`chart-${id}`}>
        {title} <span className="hint">{about}</span>
      </h3>
      <ul className="legend">
        {lines.map(({ name, unit }, index) => {
          const { last, highest } = summaryOf(columns[index + 1] ?? []);
          return (
            <li key={name}>
              <span className={`key key-${index + 1}`} aria-hidden="true" /> {name}: {figure(last, unit)}{' '}
              <span className="muted">(highest {figure(highest, unit)})</span>
            </li>
          );
        })}
      </ul>
      <div ref={container} className="plot" aria-hidden="true" />
      <details>
        <summary>As a table</summary>
        <div className="table-box figures" role="region" aria-label={`${title}, as a table`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                {lines.map(({ name, unit }) => (
                  <th key={name} scope="col" className="number">
                    {name}
                    {unit !== '' && ` (${unit})`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {buckets.toReversed().map((bucket) => (
                <tr key={bucket.at}>
                  <th scope="row">{dateTime(bucket.at).slice(11)}</th>
                  {lines.map(({ name, valueOf }) => (
                    <td key={name} className="number">
                      {figure(valueOf(bucket, bucketSeconds), '')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
