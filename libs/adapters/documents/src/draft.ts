import type { Heading, Page, ParsedDocument, Sheet } from '@palimpsest/knowledge/ports';

/** The result of a format reader, with cleaned text. `finishDocument` turns it into the `ParsedDocument`. */
export type Draft = Readonly<{
  kind: ParsedDocument['kind'];
  text: string;
  mediaType: string;
  codeLanguage?: string;
  /** Omitted for Markdown, whose headings are read from the text. */
  headings?: readonly Heading[];
  pages?: readonly Page[];
  sheets?: readonly Sheet[];
  /** Nested values are flattened to `a.b`, lists are joined with commas, empty values are dropped. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Takes precedence over the first heading: front matter, or a reliable property. */
  title?: string | undefined;
  /** Used if there is no heading: a document property, the page title, the subject. */
  secondTitle?: string | undefined;
  warnings?: readonly string[];
  /** The error message if there is no text at all. */
  emptyDetail?: string;
}>;
