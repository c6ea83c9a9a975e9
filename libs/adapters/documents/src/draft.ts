import type { Heading, Page, ParsedDocument, Sheet } from '@palimpsest/knowledge';

/** What a format reader makes of a file; `finishDocument` turns it into the `ParsedDocument`. Text is clean already. */
export type Draft = Readonly<{
  kind: ParsedDocument['kind'];
  text: string;
  mediaType: string;
  codeLanguage?: string;
  /** Left out for Markdown, whose headings are read off the text. */
  headings?: readonly Heading[];
  pages?: readonly Page[];
  sheets?: readonly Sheet[];
  /** Nested values are flattened to `a.b`, lists joined with commas, empty values dropped. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Comes before the first heading: front matter, or a property that is known to be good. */
  title?: string | undefined;
  /** Comes after the first heading: a document property, the page title, the subject. */
  secondTitle?: string | undefined;
  warnings?: readonly string[];
  /** Said when there is no text at all. */
  emptyDetail?: string;
}>;
