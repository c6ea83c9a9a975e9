import type { ChunkView } from '@palimpsest/client';
import type { Span } from '@palimpsest/evaluation';

/** What a parser may change in a plain text: white space, control characters and invisible ones. */
const UNSTABLE = /[\s\p{Cc}\p{Cf}]/u;

/** Where a chunk is in the source of its document; `undefined` if that is not certain. */
export type FindPlace = (chunk: Pick<ChunkView, 'text' | 'start' | 'end'>) => Span | undefined;

/**
 * Finds chunks in the source of their document. The offsets of a chunk belong to the text that the parser read from the source: where they show
 * the same characters in the source, they are its place. Otherwise its text is searched for, without white space, and has to be there exactly once.
 */
export const placesIn = (source: string): FindPlace => {
  let squeezed: Squeezed | undefined;
  return ({ text, start, end }) => {
    if (source.slice(start, end) === text) return { start, end };
    squeezed ??= squeeze(source);
    const wanted = squeeze(text).text;
    const at = wanted === '' ? -1 : squeezed.text.indexOf(wanted);
    if (at < 0 || squeezed.text.indexOf(wanted, at + 1) >= 0) return undefined;
    const [first, last] = [squeezed.units[at], squeezed.units[at + wanted.length - 1]];
    return first === undefined || last === undefined ? undefined : { start: first, end: last + 1 };
  };
};

/** The stable characters of a text, and where each was. */
type Squeezed = Readonly<{ text: string; units: readonly number[] }>;

const squeeze = (source: string): Squeezed => {
  const kept: string[] = [];
  const units: number[] = [];
  for (let at = 0; at < source.length; at++) {
    const unit = source[at] ?? '';
    if (UNSTABLE.test(unit)) continue;
    kept.push(unit);
    units.push(at);
  }
  return { text: kept.join(''), units };
};
