import type { ParseInput, ParseOutcome } from '@palimpsest/knowledge/ports';
import { detectFormat, type Detected } from './detect/detect-format.ts';
import type { Draft } from './draft.ts';
import { finishDocument } from './finish-document.ts';
import { ParseRejection } from './parse-rejection.ts';
import type { ParserLimits } from './parser-limits.ts';

/** Loads each reader when it is first needed: a process that only reads Markdown never loads the PDF reader. */
async function readDraft(input: ParseInput, found: Detected, limits: ParserLimits): Promise<Draft> {
  const { bytes } = input;
  const { mediaType, text = '', zip } = found;
  switch (found.format) {
    case 'markdown':
      return (await import('./formats/markdown.ts')).readMarkdown(text);
    case 'html':
      return (await import('./formats/html.ts')).readHtml(text, limits);
    case 'text':
      return (await import('./formats/plain.ts')).readText(text, mediaType);
    case 'code':
      return (await import('./formats/plain.ts')).readCode(text, mediaType, found.codeLanguage ?? 'text');
    case 'notebook':
      return (await import('./formats/notebook.ts')).readNotebook(text);
    case 'delimited':
      return (await import('./formats/delimited.ts')).readDelimited(text, mediaType, input.fileName, limits);
    case 'mail':
      return (await import('./formats/mail.ts')).readMail(bytes, mediaType, limits);
    case 'pdf':
      return (await import('./formats/pdf.ts')).readPdf(bytes, limits);
    case 'slides':
      return (await import('./formats/office.ts')).readSlides(bytes, mediaType, limits, zip);
    case 'writer':
    case 'rtf':
      return (await import('./formats/office.ts')).readWriter(bytes, mediaType, limits);
    case 'workbook':
      return (await import('./formats/workbook.ts')).readWorkbook(bytes, mediaType, limits, zip);
    case 'word97':
      return (await import('./formats/word97.ts')).readWord97(bytes);
    case 'powerpoint97':
      return (await import('./formats/powerpoint97.ts')).readPowerPoint97(bytes);
    case 'outlook':
      return (await import('./formats/outlook.ts')).readOutlook(bytes, limits);
    case 'docx':
    case 'epub':
      if (zip === undefined) throw new Error(`${found.format} without its zip`);
      if (found.format === 'epub') return (await import('./formats/epub.ts')).readEpub(zip, limits);
      return (await import('./formats/docx.ts')).readDocx(bytes, mediaType, zip, limits);
  }
}

/** Converts any error of a reader to an outcome: readers are third-party code and may throw anything. */
export function rejectionFor(error: unknown, format?: string): Extract<ParseOutcome, { outcome: 'rejected' }> {
  if (error instanceof ParseRejection) return { outcome: 'rejected', reason: error.reason, detail: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (/maximum call stack/i.test(message)) return { outcome: 'rejected', reason: 'too-large', detail: 'The file is nested too deeply.' };
  if (/invalid (string|array) length|allocation failed|cannot create a string longer/i.test(message)) {
    return { outcome: 'rejected', reason: 'too-large', detail: 'The expanded file does not fit into memory.' };
  }
  const cause = message.replace(/\s+/g, ' ').slice(0, 200);
  return { outcome: 'rejected', reason: 'corrupt', detail: `The ${format ?? 'file'} content is damaged and cannot be read (${cause}).` };
}

/**
 * Parses a file in this process, without limits on time and memory: for use inside a parser process. The content of a file never
 * makes it throw.
 */
export async function parseFile(input: ParseInput, limits: ParserLimits): Promise<ParseOutcome> {
  let found: Detected | undefined;
  // A plain view: pdf.js rejects Node's Buffer, and its `slice` would not copy.
  const file = { ...input, bytes: new Uint8Array(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength) };
  try {
    found = await detectFormat(file, limits);
    const draft = await readDraft(file, found, limits);
    return { outcome: 'parsed', document: finishDocument(draft, limits, found.warnings) };
  } catch (error) {
    return rejectionFor(error, found?.format);
  }
}
