/** In UTF-16 units; a shorter overlap of two texts is a coincidence. */
const MIN_OVERLAP = 12;
/** In UTF-16 units; no chunker repeats more. */
const MAX_OVERLAP = 8_000;

/**
 * Number of UTF-16 units at the end of one text that the next one repeats at its beginning; 0 if below 12. Linear.
 * Knuth, Morris, Pratt: Fast Pattern Matching in Strings (1977): the prefix function of `next`, run over the end of `text`.
 */
export const sharedEdge = (text: string, next: string): number => {
  const tail = text.slice(-MAX_OVERLAP);
  const pattern = next.slice(0, MAX_OVERLAP);
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
  return matched >= MIN_OVERLAP ? matched : 0;
};
