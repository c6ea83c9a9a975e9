type Span = readonly [start: number, end: number];

/** Marks the spans of a text. Spans that overlap or exceed the text are trimmed. Line breaks become spaces. */
export const highlight = (text: string, spans: readonly Span[], mark: (part: string) => string): string => {
  let marked = '';
  let at = 0;
  for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, end);
    if (from >= to) continue;
    marked += text.slice(at, from) + mark(text.slice(from, to));
    at = to;
  }
  return (marked + text.slice(at)).replaceAll(/\s*\n\s*/g, ' ');
};

/** At most `width` characters, the end replaced by "…" when it was longer. */
export const cut = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`);
