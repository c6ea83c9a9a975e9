import type { Heading, ParsedDocument } from '@palimpsest/knowledge/ports';
import { cleanText, wellFormed } from './clean-text.ts';
import type { Draft } from './draft.ts';
import { hiddenWarning, withoutHidden, type Hidden } from './hidden-characters.ts';
import { humanCount } from './human-size.ts';
import { languageOf } from './language-of.ts';
import { markdownHeadings } from './markdown/markdown-headings.ts';
import { ParseRejection } from './parse-rejection.ts';
import type { ParserLimits } from './parser-limits.ts';

const MAX_METADATA = 100;
const LONGEST_VALUE = 2_000;
const LONGEST_TITLE = 300;

/** Longer values are truncated anyway, so the rest is not examined. */
const MAX_EXAMINED = 100_000;
const visible = (text: string): string => withoutHidden(cleanText(text.slice(0, MAX_EXAMINED))).text;

/** Nested objects become `a.b`, lists are joined with commas; depth, number and length are limited. */
function flattenMetadata(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const flat: Record<string, string> = {};
  const add = (key: string, value: unknown, depth: number): void => {
    if (value === null || value === undefined || depth > 5 || Object.keys(flat).length >= MAX_METADATA) return;
    if (value instanceof Date) {
      if (!Number.isNaN(value.getTime())) flat[key] = value.toISOString();
    } else if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
      add(key, listText(value.filter((item) => item !== null).slice(0, 100)), depth);
    } else if (typeof value === 'object') {
      for (const [name, inner] of Object.entries(value)) add(key === '' ? name : `${key}.${name}`, inner, depth + 1);
    } else {
      const text = wellFormed(visible(String(value)).trim().slice(0, LONGEST_VALUE));
      if (text !== '') flat[wellFormed(visible(key).slice(0, 200))] = text;
    }
  };
  add('', values, 0);
  return flat;
}

/** What `keywordsText` writes as JSON, too. A parser process may not read the package that has it. */
const NEEDS_JSON = /[,;，；、،؛]|^\s*\[/;

/** The text that filters take apart again, with as many items as fit, so that it does not end within one. */
const listText = (items: readonly unknown[]): string => {
  const texts = items.map(String);
  const text = texts.some((item) => NEEDS_JSON.test(item)) ? JSON.stringify(texts) : texts.join(', ');
  return text.length > LONGEST_VALUE && items.length > 1 ? listText(items.slice(0, -1)) : text;
};

const tidyTitle = (title: string | undefined): string | undefined => {
  const tidy = wellFormed(
    visible(title ?? '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, LONGEST_TITLE),
  );
  return tidy === '' ? undefined : tidy;
};

function headingsOf(draft: Draft, limits: ParserLimits, warnings: string[]): readonly Heading[] {
  const { headings, cut } =
    draft.headings !== undefined
      ? { headings: draft.headings.slice(0, limits.maxHeadings), cut: draft.headings.length > limits.maxHeadings }
      : draft.kind === 'markdown'
        ? markdownHeadings(draft.text, limits.maxHeadings)
        : { headings: [], cut: false };
  if (cut) warnings.push(`The document has more than ${humanCount(limits.maxHeadings)} headings; later ones are treated as text.`);
  return headings;
}

function rejectBeyondLimits({ text, pages = [], emptyDetail }: Draft, limits: ParserLimits): void {
  if (text.length > limits.maxTextChars) {
    throw new ParseRejection(
      'too-large',
      `The file contains ${humanCount(text.length)} characters of text; at most ${humanCount(limits.maxTextChars)} are allowed.`,
    );
  }
  if (text.trim() === '') throw new ParseRejection('empty', emptyDetail ?? 'The file has no text.');
  if (pages.length > limits.maxPages) {
    throw new ParseRejection(
      'too-large',
      `The file has ${humanCount(pages.length)} pages; at most ${humanCount(limits.maxPages)} are allowed.`,
    );
  }
}

/** The draft without invisible characters; offsets into its text are adjusted. */
function revealed(draft: Draft): { draft: Draft; hidden: Hidden } {
  const { text, hidden, at } = withoutHidden(draft.text);
  if (text.length === draft.text.length) return { draft, hidden };
  const moved = <Place extends { start: number; end: number }>(place: Place): Place => ({
    ...place,
    start: at(place.start),
    end: at(place.end),
  });
  return {
    hidden,
    draft: {
      ...draft,
      text,
      ...(draft.headings === undefined
        ? {}
        : {
            headings: draft.headings
              .map((heading) => ({ ...moved(heading), title: visible(heading.title) }))
              .filter(({ start, end }) => end > start),
          }),
      ...(draft.pages === undefined ? {} : { pages: draft.pages.map((page) => ({ ...page, start: at(page.start) })) }),
      ...(draft.sheets === undefined
        ? {}
        : {
            sheets: draft.sheets.map((sheet) => ({
              ...moved(sheet),
              name: visible(sheet.name),
              header: withoutHidden(sheet.header).text,
              rowStarts: sheet.rowStarts.map(at),
            })),
          }),
    },
  };
}

/** Checks a draft against the limits and adds what all formats have in common: headings, language, title. */
export function finishDocument(raw: Draft, limits: ParserLimits, earlierWarnings: readonly string[] = []): ParsedDocument {
  const { draft, hidden } = revealed(raw);
  rejectBeyondLimits(draft, limits);
  const { kind, text, mediaType, codeLanguage, pages = [], sheets = [], metadata = {} } = draft;
  const hiding = hiddenWarning(hidden);
  const warnings = [...earlierWarnings, ...(draft.warnings ?? []), ...(hiding === undefined ? [] : [hiding])];
  const headings = headingsOf(draft, limits, warnings);
  const title = tidyTitle(draft.title) ?? tidyTitle(headings[0]?.title) ?? tidyTitle(draft.secondTitle);
  return {
    kind,
    text,
    mediaType,
    ...(title === undefined ? {} : { title }),
    language: kind === 'code' ? 'und' : languageOf(text),
    ...(codeLanguage === undefined ? {} : { codeLanguage }),
    headings,
    pages,
    sheets,
    metadata: flattenMetadata(metadata),
    warnings,
  };
}
