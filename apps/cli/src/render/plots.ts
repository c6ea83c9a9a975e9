import { escaped } from './markup.ts';
import { signed } from './signed.ts';

/** Figures of reports, drawn as SVG. Colours are classes of the page's style. */

const WIDTH = 680;
const svg = (label: string, height: number, parts: readonly string[]): string =>
  `<svg role="img" aria-label="${escaped(label)}" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">${parts.join('')}</svg>`;
const text = (x: number | string, y: number, anchor: 'start' | 'end', content: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;

export type PlottedInterval = Readonly<{ label: string; interval: readonly number[]; difference: number }>;

/** Height of an interval, and width of its label. */
const [ROW, LABEL] = [34, 150];

/** The interval of each measure, with 0 and the accepted loss as lines. */
export const intervalPlot = (intervals: readonly PlottedInterval[], margin: number): string => {
  const reach = Math.max(margin * 2, ...intervals.flatMap(({ interval }) => interval.map(Math.abs))) * 1.1;
  const x = (value: number): string => (LABEL + ((value + reach) / (2 * reach)) * (WIDTH - LABEL)).toFixed(1);
  const height = ROW * intervals.length + 30;
  const line = (value: number, kind: string): string =>
    `<line class="${kind}" x1="${x(value)}" x2="${x(value)}" y1="0" y2="${height - 20}"/>`;
  const bar = ({ label, interval: [low = 0, high = 0], difference }: PlottedInterval, at: number): string => {
    const y = ROW * at + ROW / 2;
    return (
      text(0, y + 4, 'start', label) +
      `<line class="bar" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/><circle class="dot" cx="${x(difference)}" cy="${y}" r="5"/>`
    );
  };
  return svg('Intervals of the differences', height, [
    ...[line(0, 'axis'), text(x(0), height - 6, 'start', '0')],
    ...[line(-margin, 'margin'), text(x(-margin), height - 6, 'end', `−${margin}`)],
    ...[text(LABEL, height - 6, 'start', signed(-reach)), text(WIDTH, height - 6, 'end', signed(reach))],
    ...intervals.map(bar),
  ]);
};

/** Height of each half of the plot. */
const HALF = 90;

/** One column for each query, from the largest loss to the largest gain. `differences` ascend, and one of them is not 0. */
export const differencePlot = (differences: readonly number[]): string => {
  const reach = Math.max(...[differences.at(0) ?? 0, differences.at(-1) ?? 0].map(Math.abs));
  const x = (at: number): string => ((at / differences.length) * WIDTH).toFixed(2);
  const columns = (isShown: (difference: number) => boolean, kind: string): string => {
    const first = differences.findIndex(isShown);
    if (first < 0) return '';
    const last = differences.findLastIndex(isShown);
    // Equal neighbours are one step.
    const steps = differences
      .slice(first, last + 1)
      .flatMap((difference, at, shown) =>
        difference === shown[at + 1] ? [] : [`V${(HALF * (1 - difference / reach)).toFixed(1)}H${x(first + at + 1)}`],
      );
    return `<path class="${kind}" d="M${x(first)} ${HALF}${steps.join('')}V${HALF}Z"/>`;
  };
  return svg('Differences of all queries, in ascending order', HALF * 2, [
    columns((difference) => difference < 0, 'loss'),
    columns((difference) => difference > 0, 'gain'),
    `<line class="axis" x1="0" x2="${WIDTH}" y1="${HALF}" y2="${HALF}"/>`,
    ...[text(0, 12, 'start', signed(reach)), text(WIDTH, HALF * 2 - 4, 'end', signed(-reach))],
  ]);
};
