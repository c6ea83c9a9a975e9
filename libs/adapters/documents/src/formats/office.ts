import { OfficeParser, type OfficeContentNode, type OfficeParserAST } from 'officeparser';
import { joinPages } from '../clean-text.ts';
import type { ZipContents } from '../detect/zip-contents.ts';
import type { Draft } from '../draft.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { damagedParts, SLIDES } from './damaged-parts.ts';
import { officeTree } from './office-tree.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';

async function parse(bytes: Uint8Array, fileType: 'pptx' | 'odp' | 'odt' | 'rtf', limits: ParserLimits): Promise<OfficeParserAST> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return await OfficeParser.parseOffice(buffer, {
      fileType,
      ignoreComments: true,
      ignoreHeadersAndFooters: true,
      ignoreSlideMasters: true,
      extractAttachments: false,
      decompressionLimits: {
        maxUncompressedBytes: limits.maxZipBytes,
        maxZipEntries: limits.maxZipEntries,
        maxTableCells: limits.maxCells,
      },
    });
  } catch (error) {
    throw rejectionOf(error);
  }
}

/** officeparser's errors have a code. The caller handles out of memory and stack overflow. */
function rejectionOf(error: unknown): unknown {
  const code = String((error as { type?: unknown; code?: unknown }).type ?? (error as { code?: unknown }).code ?? (error as Error).message);
  if (/PASSWORD/.test(code)) return new ParseRejection('password', 'The document is protected by a password.');
  if (/LIMIT_EXCEEDED|TOO_LARGE|MAX_NESTING|nesting depth|safe limit/i.test(`${code} ${(error as Error).message}`))
    return new ParseRejection('too-large', 'The document is too large when expanded, or is nested too deeply.');
  return error;
}

function draftOf(ast: OfficeParserAST, texts: readonly string[], mediaType: string): Draft {
  const { title, author, subject, description, created, modified } = ast.metadata as Record<string, unknown>;
  return {
    kind: 'markdown',
    ...joinPages(texts),
    mediaType,
    metadata: { title, author, subject, description, created, modified },
    secondTitle: typeof title === 'string' ? title : undefined,
  };
}

/** Reads presentations: one page per slide, its title as a heading, speaker notes below the slide. */
export async function readSlides(bytes: Uint8Array, mediaType: string, limits: ParserLimits, zip?: ZipContents): Promise<Draft> {
  const damaged = await damagedParts(zip, SLIDES);
  const ast = await parse(bytes, mediaType.includes('opendocument') ? 'odp' : 'pptx', limits);
  const slides = ast.content.filter((node) => node.type === 'slide');
  const texts = slides.map((slide) => writeMarkdown(officeTree([...(slide.children ?? []), ...notesOf(slide, ast)])));
  const draft = draftOf(ast, slides.length === 0 ? [writeMarkdown(officeTree(ast.content))] : texts, mediaType);
  return {
    ...draft,
    pages: slides.length === 0 ? [] : (draft.pages ?? []),
    warnings: damaged,
    emptyDetail: 'The presentation has no text; images and charts on its slides are not read.',
  };
}

/** Notes are attached to the slide or follow it in the content, depending on the format. */
function notesOf(slide: OfficeContentNode, ast: OfficeParserAST): OfficeContentNode[] {
  const number = slide.type === 'slide' ? slide.metadata?.slideNumber : undefined;
  const attached = slide.notes ?? [];
  const loose = ast.content.filter((node) => node.type === 'note' && number !== undefined && node.metadata?.slideNumber === number);
  return [...attached, ...loose];
}

/** Reads text documents without pages: ODT and RTF. */
export async function readWriter(bytes: Uint8Array, mediaType: string, limits: ParserLimits): Promise<Draft> {
  const ast = await parse(bytes, mediaType.includes('rtf') ? 'rtf' : 'odt', limits);
  return { ...draftOf(ast, [writeMarkdown(officeTree(ast.content))], mediaType), pages: [] };
}
