import type { Heading, ParsedDocument } from '@palimpsest/knowledge/ports';
import type { Span } from './cuts.ts';
import { headingPaths, soundHeadings } from './document-places.ts';
import { TINY } from './even-split.ts';
import type { Ruler } from './ruler.ts';
import { skipBlanks } from './safe-offset.ts';

type Path = readonly Heading[];
/** A heading with the text up to the next one. `path` is the heading path of the whole span; `first` that of its first heading. */
export type Section = Span & Readonly<{ path: Path; first: Path }>;

const isUnder = (path: Path, ancestors: Path): boolean => ancestors.every((heading, depth) => path[depth] === heading);

const commonPath = (one: Path, other: Path): Path => {
  const length = one.findIndex((heading, depth) => heading !== other[depth]);
  return length < 0 ? one : one.slice(0, length);
};

/**
 * The text between headings, in order; text before the first heading is a section without path. A heading that is followed
 * directly by one of its sub-headings has no text of its own, so it is joined with that sub-heading.
 */
export const sectionsOf = (document: ParsedDocument): readonly Section[] => {
  const { text } = document;
  const headings = soundHeadings(document);
  const paths = headingPaths(headings);
  const firstStart = headings[0]?.start ?? text.length;
  const sections: Section[] = firstStart > 0 ? [{ start: 0, end: firstStart, path: [], first: [] }] : [];
  let start = firstStart;
  headings.forEach((heading, index) => {
    const end = headings[index + 1]?.start ?? text.length;
    const path = paths[index] ?? [];
    const isBare = skipBlanks(text, heading.end, end) === end;
    const leadsToChild = index + 1 < headings.length && isUnder(paths[index + 1] ?? [], path);
    if (isBare && leadsToChild) return;
    sections.push({ start, end, path, first: path });
    start = end;
  });
  return sections;
};

/** `room`: the maximum size of a section's text with this path, in the ruler's units. */
export type SectionLimit = Readonly<{ ruler: Ruler; room: (path: Path) => number }>;

/**
 * Joins tiny sections (under a quarter of the limit) with their neighbours under the same parent, as long as all of it fits.
 * A scrap of two lines makes a poor vector; two full sections in one would blur both.
 */
export const joinedSections = (sections: readonly Section[], limit: SectionLimit): readonly Section[] => {
  const joined: Section[] = [];
  for (const section of sections) {
    const last = joined.at(-1);
    if (last !== undefined && belongTogether(last, section, limit)) joined[joined.length - 1] = joinOf(last, section);
    else joined.push(section);
  }
  return joined;
};

/** A few words before the first heading are joined with its section. */
const joinOf = (one: Section, other: Section): Section =>
  one.first.length === 0 ? { ...other, start: one.start } : { ...one, end: other.end, path: commonPath(one.path, other.path) };

const belongTogether = (one: Section, other: Section, { ruler, room }: SectionLimit): boolean => {
  if (!isUnder(other.path, one.first.slice(0, -1))) return false;
  const max = room(other.path);
  const tiny = max * TINY;
  const oneIsTiny = ruler.size(one.start, one.end) < tiny || ruler.size(other.start, other.end) < tiny;
  return oneIsTiny && ruler.size(one.start, other.end) <= max;
};
