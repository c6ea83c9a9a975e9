/** UTF-16 units; a shorter agreement of two texts is chance. */
const LEAST_OVERLAP = 12;
/** UTF-16 units; no chunker repeats more. */
const MOST_OVERLAP = 8_000;

/**
 * How many UTF-16 units at the end of one text are repeated at the beginning of the next, 0 below 12. Linear.
 * Knuth, Morris, Pratt: Fast Pattern Matching in Strings (1977): the prefix function of `next`, run over the end of `text`.
 */
export const sharedEdge = (text: string, next: string): number => {
  const tail = text.slice(-MOST_OVERLAP);
  const pattern = next.slice(0, MOST_OVERLAP);
  const fallback = new Uint16Array(pattern.length);
  const extend = (matched: number, unit: number): number => {
    let length = matched;
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = fallback[length - 1] ?? 0;
    return pattern.charCodeAt(length) === unit ? length + 1 : length;
  };
  for (let at = 1; at < pattern.length; at++) fallback[at] = extend(fallback[at - 1] ?? 0, pattern.charCodeAt(at));
  let matched = 0;
  for (let at = 0; at < tail.length; at++) {
    if (matched === pattern.length) matched = fallback[matched - 1] ?? 0;
    matched = extend(matched, tail.charCodeAt(at));
  }
  return matched >= LEAST_OVERLAP ? matched : 0;
};
