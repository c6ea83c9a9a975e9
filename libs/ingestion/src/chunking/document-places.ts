import type { Heading, ParsedDocument } from '@palimpsest/knowledge/ports';

/** UTF-16 units; titles of hostile documents can be as long as the document. */
const LONGEST_TITLE = 120;

/** A title on one line, shortened to 120 characters. */
export const shortTitle = (title: string): string => {
  const oneLine = title
    .slice(0, 4 * LONGEST_TITLE)
    .replace(/\s+/g, ' ')
    .trim();
  if (oneLine.length <= LONGEST_TITLE) return oneLine;
  return `${oneLine.slice(0, LONGEST_TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** The number of ascending values that are at most `limit`. */
const countUpTo = (length: number, at: (index: number) => number, limit: number): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(middle) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** 1-based line number of an offset; lines end with LF, CRLF or CR. The text is only scanned up to the highest offset requested. */
export const lineFinder = (text: string): ((offset: number) => number) => {
  const starts: number[] = [0];
  const ends = text.matchAll(/\r\n|\n|\r/g);
  let isRead = false;
  const readPast = (offset: number): void => {
    while (!isRead && (starts.at(-1) ?? 0) <= offset) {
      const { value, done } = ends.next();
      if (done === true) isRead = true;
      else starts.push(value.index + value[0].length);
    }
  };
  return (offset) => {
    readPast(offset);
    return countUpTo(starts.length, (line) => starts[line] ?? 0, offset);
  };
};

export const pageFinder =
  ({ pages }: ParsedDocument): ((offset: number) => number | undefined) =>
  (offset) =>
    pages[countUpTo(pages.length, (page) => pages[page]?.start ?? 0, offset) - 1]?.number;

/** The headings of a document in order, except those that overlap or point outside the text. */
export const soundHeadings = ({ headings, text }: ParsedDocument): readonly Heading[] => {
  let end = 0;
  return headings.filter((heading) => {
    const sound = heading.start >= end && heading.end > heading.start && heading.end <= text.length;
    if (sound) end = heading.end;
    return sound;
  });
};

/** The path of each heading: its ancestors, outermost first, and itself. */
export const headingPaths = (headings: readonly Heading[]): readonly (readonly Heading[])[] => {
  let path: readonly Heading[] = [];
  return headings.map((heading) => (path = [...path.filter(({ level }) => level < heading.level), heading]));
};

/** Returns the heading path of an offset. */
export const headingFinder = (document: ParsedDocument): ((offset: number) => readonly Heading[]) => {
  const headings = soundHeadings(document);
  const paths = headingPaths(headings);
  return (offset) => paths[countUpTo(headings.length, (heading) => headings[heading]?.start ?? 0, offset) - 1] ?? [];
};

export const titlesOf = (path: readonly Heading[]): readonly string[] =>
  path.map(({ title }) => shortTitle(title)).filter((title) => title !== '');

/** "Guide > Install > Linux". Starts with the document's title, unless the first heading repeats it. */
export const breadcrumb = (document: ParsedDocument, titles: readonly string[]): string => {
  const title = shortTitle(document.title ?? '');
  const repeated = title === '' || titles[0]?.toLowerCase() === title.toLowerCase();
  return (repeated ? titles : [title, ...titles]).join(' > ');
};
