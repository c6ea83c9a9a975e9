/**
 * What a document shows, compared with what was printed. `…` alone in a line stands for any number of lines, and within a line for
 * any text. What differs from run to run (times, ids, positions, scores, sizes) is not compared.
 */

const VARIABLE = [
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/plk_[\w-]*/g, '<key>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, '<time>'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, '<address>'],
  [/\b\d{15,}\b/g, '<mark>'],
  [/\b\d+(?:\.\d+)? (?=ms\b|s\b|tokens\b|chunks\b|documents\b|hits left out)/g, '# '],
  [/\b(position|lines|chunk|of) \d+(?:-\d+)?/g, '$1 #'],
  [/\(\d+ files\)/g, '(# files)'],
  [/\b\d+: \d+ indexed/g, '#: # indexed'],
  [/"(hits|misses|entries)":\d+/g, '"$1":#'],
  [/-?\b\d+\.\d{2,}\b/g, '<number>'],
  // The rows of tables with counts: chunks in a partition, or of a document.
  [/( g\d+ +)\d+( +)/, '$1#$2'],
  [/^([0-9a-f]{32} +\w+ +\d+ +)\d+( +)/, '$1#$2'],
];

/** One line without what varies, and with single spaces: the width of a column follows from its contents. */
export const normalised = (line) => VARIABLE.reduce((text, [pattern, by]) => text.replaceAll(new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`), by), line).replaceAll(/ +/g, ' ').trimEnd();

const WIDTH = 140;

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const lineFits = (shown, printed) => new RegExp(`^${normalised(shown).split('…').map(escaped).join('.*')}$`).test(normalised(printed));

const linesOf = (text) => text.replace(/\n+$/, '').split('\n');

/** The lines that a document shows, in pieces between lines of `…` alone. */
const piecesOf = (shown) => {
  const pieces = [[]];
  for (const line of linesOf(shown)) {
    if (line.trim() === '…') pieces.push([]);
    else pieces.at(-1).push(line);
  }
  return pieces;
};

/** Where each piece stands in what was printed: index of its first line, or undefined when it is not there. */
const placesOf = (pieces, printed) => {
  let from = 0;
  return pieces.map((piece, i) => {
    const isLast = i === pieces.length - 1;
    const first = i === 0 ? 0 : isLast && piece.length > 0 ? Math.max(from, printed.length - piece.length) : from;
    for (let at = first; at + piece.length <= printed.length; at++) {
      if (piece.every((line, n) => lineFits(line, printed[at + n]))) {
        from = at + piece.length;
        return isLast && piece.length > 0 && from !== printed.length ? undefined : at;
      }
      if (i === 0 && pieces.length >= 1) break;
    }
    return undefined;
  });
};

export const fits = (shown, output) => {
  const printed = linesOf(output);
  const pieces = piecesOf(shown);
  if (pieces.length === 1) return pieces[0].length === printed.length && pieces[0].every((line, n) => lineFits(line, printed[n]));
  return placesOf(pieces, printed).every((place) => place !== undefined);
};

/**
 * What a document should show instead: the same lines left out where that can be told, by how many lines stand before the first
 * and behind the last `…`, and by their first words in between.
 */
export const updated = (shown, output) => {
  const printed = linesOf(output);
  const pieces = piecesOf(shown);
  if (pieces.length === 1) return `${printed.map((line, n) => cutLike(pieces[0][n], line)).join('\n')}\n`;
  const [first, ...rest] = pieces;
  const last = rest.pop();
  const head = printed.slice(0, first.length).map((line, n) => cutLike(first[n], line));
  const tail = last.length === 0 ? [] : printed.slice(-last.length).map((line, n) => cutLike(last[n], line));
  const middle = rest.map((piece) => piece.flatMap((line) => printed.filter((each) => each.split(' ')[0] === line.split(' ')[0]).slice(0, 1)));
  return `${[head, ...middle, tail].map((lines) => lines.join('\n')).join('\n…\n').replace(/^\n/, '').replace(/\n$/, '')}\n`;
};

/** As it is shown already, where it fits; else what was printed, not longer than a page is wide. */
const cutLike = (shown, printed) => {
  if (shown !== undefined && lineFits(shown, printed)) return shown;
  return printed.length <= WIDTH ? printed : `${printed.slice(0, WIDTH - 2).replace(/\s+\S*$/, '')} …`;
};
