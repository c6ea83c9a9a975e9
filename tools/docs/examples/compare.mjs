/**
 * Compares the output that a document shows with the printed output. `…` alone in a line stands for any number of lines, and within a line for
 * any text. Values that differ between runs (times, ids, positions, scores, sizes) are not compared.
 */

const VARIABLE = [
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/plk_[\w-]*/g, '<key>'],
  // Ids of documents and chunks are derived under a key of the installation.
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, '<time>'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, '<address>'],
  [/\b\d{15,}\b/g, '<mark>'],
  [/\b\d+(?:\.\d+)? (?=ms\b|s\b|tokens\b|chunks\b|documents\b|passages left out)/g, '# '],
  [/\b(position|lines|chunk|of) \d+(?:-\d+)?/g, '$1 #'],
  [/\(\d+ files\)/g, '(# files)'],
  [/\b\d+: \d+ indexed/g, '#: # indexed'],
  [/"(hits|misses|entries)":\d+/g, '"$1":#'],
  [/-?\b\d+\.\d{2,}\b/g, '<number>'],
  // The rows of tables with counts: chunks in a partition, or of a document.
  [/( g\d+ +)\d+( +)/, '$1#$2'],
  [/^(<id> +\w+ +\d+ +)\d+( +)/, '$1#$2'],
];

/** One line without variable values, and with single spaces: the width of a column depends on its contents. */
export const normalised = (line) =>
  VARIABLE.reduce(
    (text, [pattern, by]) => text.replaceAll(new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`), by),
    line,
  )
    .replaceAll(/ +/g, ' ')
    .trimEnd();

const WIDTH = 140;

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const lineFits = (shown, printed) => new RegExp(`^${normalised(shown).split('…').map(escaped).join('.*')}$`).test(normalised(printed));

const linesOf = (text) => text.replace(/\n+$/, '').split('\n');

/** The lines that a document shows, split at lines that only contain `…`. */
const piecesOf = (shown) => {
  const pieces = [[]];
  for (const line of linesOf(shown)) {
    if (line.trim() === '…') pieces.push([]);
    else pieces.at(-1).push(line);
  }
  return pieces;
};

/** The place of each piece in the printed output: index of its first line, or undefined if it is missing. */
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
 * The output that a document should show instead. It leaves out the same lines where possible, by the number of lines before the first
 * and after the last `…`, and by their first words in between.
 */
export const updated = (shown, output) => {
  const printed = linesOf(output);
  const pieces = piecesOf(shown);
  if (pieces.length === 1) return `${printed.map((line, n) => shortenedLike(pieces[0][n], line)).join('\n')}\n`;
  const [first, ...rest] = pieces;
  const last = rest.pop();
  const head = printed.slice(0, first.length).map((line, n) => shortenedLike(first[n], line));
  const tail = last.length === 0 ? [] : printed.slice(-last.length).map((line, n) => shortenedLike(last[n], line));
  const middle = rest.map((piece) =>
    piece.flatMap((line) => printed.filter((each) => each.split(' ')[0] === line.split(' ')[0]).slice(0, 1)),
  );
  return `${[head, ...middle, tail]
    .map((lines) => lines.join('\n'))
    .join('\n…\n')
    .replace(/^\n/, '')
    .replace(/\n$/, '')}\n`;
};

/** The printed line, shortened to the width of a page. A line that the document shortens with `…` is kept as long as it fits. */
const shortenedLike = (shown, printed) => {
  if (shown?.includes('…') && lineFits(shown, printed)) return shown;
  return printed.length <= WIDTH ? printed : `${printed.slice(0, WIDTH - 2).replace(/\s+\S*$/, '')} …`;
};
