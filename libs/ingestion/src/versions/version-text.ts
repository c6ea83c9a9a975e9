import type { ChunkPlace } from '@palimpsest/knowledge/events';

export type PlacedText = Pick<ChunkPlace, 'start' | 'end' | 'fromLine'> & Readonly<{ text: string }>;

/**
 * Puts the text of a version together from its chunks, in text order. Where chunks overlap, the text is there once. What no chunk covers
 * (blanks between chunks, and chunks that the model refused) becomes as many line ends as there were lines, so that line numbers stay those of
 * the document. Line ends become LF, and a text that is not empty ends with one.
 */
export const textOfVersion = (chunks: readonly PlacedText[]): string => {
  const parts: string[] = [];
  let [end, line] = [0, 1];
  for (const chunk of chunks) {
    const text = withoutOverlap(chunk, end).replaceAll(/\r\n?/g, '\n');
    const gap = chunk.start - end;
    const missing = Math.min(gap, chunk.fromLine - leadingLines(text) - line);
    // Chunks of one line that do not touch: at least a blank was between them.
    const between = missing > 0 ? '\n'.repeat(missing) : gap > 0 && parts.length > 0 ? ' ' : '';
    parts.push(between, text);
    line += linesIn(between) + linesIn(text);
    end = Math.max(end, chunk.end);
  }
  const whole = parts.join('');
  return whole === '' || whole.endsWith('\n') ? whole : `${whole}\n`;
};

/** The part of the chunk that no chunk before has. A text that does not have the length of its place is taken as it is. */
const withoutOverlap = ({ start, end, text }: PlacedText, covered: number): string =>
  start < covered && text.length === end - start ? text.slice(Math.min(text.length, covered - start)) : text;

const linesIn = (text: string): number => text.split('\n').length - 1;

/** `fromLine` is the line of the first character that is not blank. */
const leadingLines = (text: string): number => linesIn(/^\s*/.exec(text)?.[0] ?? '');
