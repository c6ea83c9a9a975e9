import { escaped } from './markup.ts';

/** Reports as one HTML file each: no scripts, nothing to load, in the reader's light or dark colours. Cells and bodies are markup. */

const STYLE =
  ':root{color-scheme:light dark;--text:#1c2430;--page:#fff;--line:#dde2ea;--quiet:#5b6676;--good:#d9f2e0;--bad:#fbdcdc;--open:#fdf1cf;--bar:#2f6fde;--dot:#17408b;--loss:#c2453b;--gain:#23864a}' +
  '@media(prefers-color-scheme:dark){:root{--text:#e4e9f0;--page:#12161c;--line:#303947;--quiet:#9ba7b7;--good:#174a2e;--bad:#5c2323;--open:#52420f;--bar:#6ea6ff;--dot:#cfe1ff;--loss:#ef7d72;--gain:#5cc585}}' +
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:var(--text);background:var(--page);overflow-wrap:anywhere}' +
  'table{border-collapse:collapse;margin:1rem 0;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}td:first-child{min-width:6rem}' +
  '.verdict{display:inline-block;padding:.2rem .7rem;border-radius:.4rem;font-weight:600}.not-worse,.relevant{background:var(--good)}.worse{background:var(--bad)}.undecided{background:var(--open)}' +
  'ol{margin:0;padding-left:1.6rem}.relevant{padding:0 .3rem;border-radius:.2rem}.quiet{color:var(--quiet)}' +
  'svg{display:block;margin:1rem 0;max-width:100%;height:auto}svg text{fill:var(--text);font-size:12px}.axis{stroke:var(--quiet)}.margin{stroke:var(--quiet);stroke-dasharray:4 3}' +
  '.bar{stroke:var(--bar);stroke-width:4}.dot{fill:var(--dot)}.loss{fill:var(--loss)}.gain{fill:var(--gain)}';

export const row = (...cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

/** @param head texts @param rows markup */
export const table = (head: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${head.map((name) => `<th>${escaped(name)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;

/** The policy lets a browser load and run nothing, whatever the body is. */
export const page = (title: string, body: string): string =>
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
  `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>\n`;
