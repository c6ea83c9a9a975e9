export type Part = Readonly<{ at: number; part: string; marked: boolean }>;

/** A text split where highlights begin and end. Spans that overlap or exceed the text are trimmed, so that no text is shown twice. */
export const marksOf = (text: string, highlights: readonly (readonly [start: number, end: number])[]): readonly Part[] => {
  const parts: Part[] = [];
  let at = 0;
  const add = (to: number, marked: boolean): void => {
    if (to > at) parts.push({ at, part: text.slice(at, to), marked });
    at = Math.max(at, to);
  };
  for (const [start, end] of [...highlights].sort(([one], [other]) => one - other)) {
    add(Math.min(Math.max(start, at), text.length), false);
    add(Math.min(end, text.length), true);
  }
  add(text.length, false);
  return parts;
};
