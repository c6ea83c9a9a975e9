import { fileTypeFromBuffer } from 'file-type';
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { decodeText, looksBinary } from '../decode-text.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import type { BinaryFormat } from './binary-format.ts';
import { compoundFormat } from './compound-format.ts';
import { extensionOf, knownExtension, knownMediaType, type TextFormat } from './known-extensions.ts';
import { isHtml, isPdf, isRtf } from './printable-signatures.ts';
import { openZip, type ZipContents } from './zip-contents.ts';
import { zipFormat } from './zip-format.ts';

export type Detected = Readonly<{
  format: BinaryFormat | TextFormat;
  mediaType: string;
  codeLanguage?: string;
  /** The decoded bytes, for text formats. Not set for e-mail, since each part has its own character set. */
  text?: string;
  zip?: ZipContents;
  warnings: readonly string[];
}>;

const latin = (bytes: Uint8Array, length: number): string => Buffer.from(bytes.subarray(0, length)).toString('latin1');

/**
 * Detects the format of a file by its bytes. Name and declared type decide where bytes are ambiguous (CSV, code, Markdown), or where a
 * text may quote another format.
 */
export async function detectFormat(input: ParseInput, limits: ParserLimits): Promise<Detected> {
  const { bytes } = input;
  if (bytes.length === 0) throw new ParseRejection('empty', 'The file is empty.');
  const head = latin(bytes, 8);
  if (head.startsWith('PK\u0003\u0004') || head.startsWith('PK\u0005\u0006')) {
    const zip = await openZip(bytes, limits);
    return { ...(await zipFormat(zip)), zip, warnings: [] };
  }
  if (head.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) return { ...compoundFormat(bytes), warnings: [] };
  if (isPdf(input)) return { format: 'pdf', mediaType: 'application/pdf', warnings: [] };
  if (isRtf(input)) return { format: 'rtf', mediaType: 'application/rtf', warnings: [] };
  if (looksBinary(bytes)) await rejectBinary(bytes);
  return detectText(input);
}

/** Uses `file-type` for binary content only: it takes a text that begins with "BM25" for a bitmap. */
async function rejectBinary(bytes: Uint8Array): Promise<never> {
  const type = await fileTypeFromBuffer(bytes).catch(() => undefined);
  const what = type === undefined ? 'The file contains binary data of an unknown type' : `The file is ${type.mime} (.${type.ext})`;
  throw new ParseRejection('unsupported', `${what}, which cannot be read as text.`);
}

function detectText(input: ParseInput): Detected {
  const extension = extensionOf(input.fileName);
  const byName = knownExtension(extension) ?? knownMediaType(input.mediaType);
  const start = latin(input.bytes, 2048)
    .replace(/^\xEF\xBB\xBF/, '')
    .trimStart();
  const mayBeHtml = byName === undefined || ['text', 'markdown', 'delimited'].includes(byName.format);
  if (mayBeHtml && isHtml(input, byName !== undefined)) return read('html', 'text/html', input);
  if (byName?.format === 'mail') return { format: 'mail', mediaType: byName.mediaType, warnings: [] };
  if (byName !== undefined) return read(byName.format, byName.mediaType, input, byName.codeLanguage);
  if (isMail(start)) return { format: 'mail', mediaType: 'message/rfc822', warnings: [] };
  return sniff(input, start);
}

function read(format: TextFormat, mediaType: string, input: ParseInput, codeLanguage?: string): Detected {
  return { format, mediaType, ...decodeText(input.bytes, input.mediaType), ...(codeLanguage === undefined ? {} : { codeLanguage }) };
}

/** Whether the text begins with header lines, three of them typical of mail, or two that only mail has. */
function isMail(start: string): boolean {
  const [headers = ''] = start.split(/\r?\n\r?\n/, 1);
  if (!/^[\w-]+:[ \t]/.test(headers)) return false;
  if (/^mime-version:/im.test(headers) && /^content-type:/im.test(headers)) return true;
  return (
    (headers.match(/^(received|return-path|message-id|mime-version|from|to|subject|date|delivered-to|content-type):/gim) ?? []).length >= 3
  );
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  python: 'python',
  python3: 'python',
  node: 'javascript',
  bash: 'shell',
  sh: 'shell',
  zsh: 'shell',
  ruby: 'ruby',
  perl: 'perl',
  php: 'php',
};

/** Detects the format of a text whose name gives no hint. */
function sniff(input: ParseInput, start: string): Detected {
  const interpreter = INTERPRETERS[/^#!.*?([a-z]+3?)\s*$/m.exec(start.split('\n', 1)[0] ?? '')?.[1] ?? ''];
  if (interpreter !== undefined) return read('code', 'text/x-script', input, interpreter);
  if (/^<\?xml\s/.test(start)) return read('code', 'application/xml', input, 'xml');
  const decoded = read('text', 'text/plain', input);
  if (/^[[{]/.test(start) && isJson(decoded.text ?? ''))
    return { ...decoded, format: 'code', mediaType: 'application/json', codeLanguage: 'json' };
  return decoded;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
