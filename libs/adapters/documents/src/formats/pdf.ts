import { getDocumentProxy } from 'unpdf';
import type { Draft } from '../draft.ts';
import { joinPages } from '../clean-text.ts';
import { humanCount } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import type { PdfDocument } from './pdf-document.ts';
import { outlineHeadings } from './pdf-outline.ts';
import { pageText } from './pdf-page-text.ts';

/** Values that PDF producers write as the title although they are none. */
const NO_TITLE =
  /^(untitled|title|document\d*|slide \d+|powerpoint presentation|microsoft (word|powerpoint) - .*|.*\.(docx?|pptx?|pdf|tex|indd|qxd|dvi|ps|rtf|odt|html?))$/i;

async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // Pass a copy, since pdf.js takes ownership of the buffer.
    return await getDocumentProxy(bytes.slice(), { useSystemFonts: false, disableFontFace: true, verbosity: 0 });
  } catch (error) {
    const name = (error as Error).name;
    if (name === 'PasswordException') throw new ParseRejection('password', 'The PDF is protected by a password.');
    if (name === 'InvalidPDFException' || name === 'FormatError') throw new ParseRejection('corrupt', 'The PDF is damaged or incomplete.');
    throw error;
  }
}

const PDF_DATE = /^D:(?<day>\d{8})(?<time>\d{6})(?:(?<zone>[+-]\d\d)'?(?<minutes>\d\d)?)?/;

/** Converts `D:20070223175637+02'00'` to ISO 8601; returns anything else unchanged. */
function isoDate(date: unknown): unknown {
  const { day, time, zone, minutes = '00' } = (typeof date === 'string' ? PDF_DATE.exec(date)?.groups : undefined) ?? {};
  if (day === undefined || time === undefined) return date;
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`;
  return zone === undefined ? `${iso}Z` : `${iso}${zone}:${minutes}`;
}

async function readPages(pdf: PdfDocument, limits: ParserLimits): Promise<{ texts: string[]; unreadable: number }> {
  const texts: string[] = [];
  let unreadable = 0;
  let total = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    try {
      const page = await pdf.getPage(number);
      const text = pageText(await page.getTextContent());
      page.cleanup();
      texts.push(text);
      total += text.length;
    } catch {
      texts.push('');
      unreadable++;
    }
    if (total > limits.maxTextChars) {
      throw new ParseRejection(
        'too-large',
        `The PDF contains more than ${humanCount(limits.maxTextChars)} characters of text, which is the maximum.`,
      );
    }
  }
  return { texts, unreadable };
}

async function properties(pdf: PdfDocument): Promise<Record<string, unknown>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const known = info as Record<string, unknown>;
  return {
    title: known['Title'],
    author: known['Author'],
    subject: known['Subject'],
    keywords: known['Keywords'],
    created: isoDate(known['CreationDate']),
    modified: isoDate(known['ModDate']),
  };
}

/** Reads text page by page; headings come from the PDF's outline (bookmarks). Scanned pages have no text: there is no OCR. */
export async function readPdf(bytes: Uint8Array, limits: ParserLimits): Promise<Draft> {
  const pdf = await openPdf(bytes);
  if (pdf.numPages < 1) throw new ParseRejection('corrupt', 'The PDF has no pages; it is damaged or incomplete.');
  if (pdf.numPages > limits.maxPages) {
    throw new ParseRejection(
      'too-large',
      `The PDF has ${humanCount(pdf.numPages)} pages; at most ${humanCount(limits.maxPages)} are allowed.`,
    );
  }
  const { texts, unreadable } = await readPages(pdf, limits);
  if (unreadable === pdf.numPages) throw new ParseRejection('corrupt', 'None of the pages of the PDF can be read; it is damaged.');
  const { text, pages } = joinPages(texts);
  const metadata = await properties(pdf);
  const title = typeof metadata['title'] === 'string' && !NO_TITLE.test(metadata['title'].trim()) ? metadata['title'] : undefined;
  const blank = texts.filter((page) => page.trim() === '').length - unreadable;
  return {
    kind: 'text',
    text,
    mediaType: 'application/pdf',
    headings: await outlineHeadings(pdf, text, pages, limits.maxHeadings + 1),
    pages,
    metadata,
    title,
    warnings: [
      ...(unreadable > 0 ? [`${unreadable} of ${pdf.numPages} pages are damaged and were omitted.`] : []),
      ...(blank > 0 ? [`${blank} of ${pdf.numPages} pages have no text; they may be scanned images.`] : []),
    ],
    emptyDetail: `The PDF has ${pdf.numPages} page${pdf.numPages === 1 ? '' : 's'} but no text; it is probably scanned, and images are not read.`,
  };
}
