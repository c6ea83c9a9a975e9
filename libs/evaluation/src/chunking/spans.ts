/** A part of a text: from `start` up to `end`, without it. */
export type Span = Readonly<{ start: number; end: number }>;

/** The same characters, each once: spans that ascend and do not touch. */
export const unionOf = (spans: readonly Span[]): readonly Span[] => {
  const union: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = union.at(-1);
    if (last === undefined || span.start > last.end) union.push(span);
    else if (span.end > last.end) union[union.length - 1] = { start: last.start, end: span.end };
  }
  return union;
};

/** The sum of the lengths: characters in several spans count several times. */
export const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start, 0);

/** How many characters two unions have in common. */
export const sharedLength = (one: readonly Span[], other: readonly Span[]): number => {
  let shared = 0;
  let [atOne, atOther] = [0, 0];
  for (;;) {
    const [left, right] = [one[atOne], other[atOther]];
    if (left === undefined || right === undefined) return shared;
    shared += Math.max(0, Math.min(left.end, right.end) - Math.max(left.start, right.start));
    if (left.end <= right.end) atOne++;
    else atOther++;
  }
};
