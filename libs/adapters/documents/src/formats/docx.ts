import mammoth from 'mammoth';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import type { ZipContents } from '../detect/zip-contents.ts';
import type { Draft } from '../draft.ts';
import { htmlToMarkdown } from '../markdown/html-to-markdown.ts';
import { officeProperties } from './office-properties.ts';

/** Converts Word through HTML to Markdown: headings by their styles, lists, tables, notes at the end. Images are dropped. */
export async function readDocx(bytes: Uint8Array, mediaType: string, zip: ZipContents, limits: ParserLimits): Promise<Draft> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const noPictures = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];
  const { value, messages } = await mammoth.convertToHtml({ buffer }, { convertImage: noPictures, styleMap, externalFileAccess: false });
  const failure = messages.find((message) => message.type === 'error');
  if (failure !== undefined && value === '') throw new ParseRejection('corrupt', 'The Word document is damaged.');
  const { markdown, warnings } = htmlToMarkdown(value, limits, 'whole');
  const { title, ...metadata } = await officeProperties(zip);
  return { kind: 'markdown', text: markdown, mediaType, metadata: { title, ...metadata }, secondTitle: title, warnings };
}
