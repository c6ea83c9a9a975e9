/** UTF-16 units. Deeper indentation is dropped, so that a line of a million blanks costs nothing. */
const KEPT_INDENT = 80;
/** UTF-16 units. A longer cluster of combining marks may be split. */
const LONGEST_CLUSTER = 16;

/** White space as defined by `\s` and `trim`. */
export const isBlank = (unit: number): boolean =>
  unit <= 0x20
    ? unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
    : unit >= 0xa0 &&
      (unit === 0xa0 ||
        unit === 0x1680 ||
        (unit >= 0x2000 && unit <= 0x200a) ||
        unit === 0x2028 ||
        unit === 0x2029 ||
        unit === 0x202f ||
        unit === 0x205f ||
        unit === 0x3000 ||
        unit === 0xfeff);

const isLineEnd = (unit: number): boolean => unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;

/** The first offset at or after `at` that is not blank, at most `end`. */
export const skipBlanks = (text: string, at: number, end: number): number => {
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
};

/** `end` moved back over blanks, at least `start`. */
export const trimEnd = (text: string, start: number, end: number): number => {
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return end;
};

/** Start of a piece whose text begins at or after `at`: skips blank lines, but keeps the first line's indentation. */
export const pieceStart = (text: string, at: number, end: number): number => {
  const first = skipBlanks(text, at, end);
  let lineStart = first;
  while (lineStart > at && first - lineStart < KEPT_INDENT && !isLineEnd(text.charCodeAt(lineStart - 1))) lineStart--;
  const reachesLineStart = lineStart === 0 || isLineEnd(text.charCodeAt(lineStart - 1));
  return reachesLineStart ? lineStart : first;
};

const insidePair = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;

const insideCluster = (text: string, at: number): boolean =>
  insidePair(text, at) ||
  /^[\p{M}\u200d\ufe0f]/u.test(text.slice(at, at + 2)) ||
  text.charCodeAt(at - 1) === 0x200d ||
  (text.charCodeAt(at) === 0x0a && text.charCodeAt(at - 1) === 0x0d);

/**
 * The nearest offset at or before `at` that splits no accent, emoji sequence or surrogate pair; not below `floor`. If there is
 * none, an offset that at least splits no surrogate pair, if necessary one unit after `at`.
 */
export const safeOffset = (text: string, at: number, floor: number): number => {
  const lowest = Math.max(floor, at - LONGEST_CLUSTER, 1);
  for (let offset = at; offset >= lowest; offset--) if (!insideCluster(text, offset)) return offset;
  if (!insidePair(text, at)) return at;
  return at - 1 >= floor ? at - 1 : at + 1;
};
