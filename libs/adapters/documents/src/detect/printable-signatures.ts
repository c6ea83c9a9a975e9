/**
 * PDF, RTF and HTML begin with printable words that a text may contain too: a manual of PDF, a program that writes RTF. So the first bytes
 * only decide if the name or the declared type agrees. If these indicate text, the rest of the file has to look like the format as well.
 */
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { looksBinary } from '../decode-text.ts';
import { extensionOf, knownExtension } from './known-extensions.ts';

/** PDF readers search the header within this number of bytes, and ignore everything before it. */
const PDF_HEADER_WITHIN = 1024;
const BYTE_ORDER_MARK = '\xEF\xBB\xBF';

const latin = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
const headOf = (bytes: Uint8Array, length: number): string => latin(bytes.subarray(0, length));
/** The last characters, without the zeros and blanks that some programs append. */
const endOf = (bytes: Uint8Array): string => latin(bytes.subarray(-PDF_HEADER_WITHIN)).replace(/[\0\s]+$/, '');

const isNamed = ({ fileName, mediaType = '' }: ParseInput, extensions: readonly string[], type: RegExp): boolean =>
  extensions.includes(extensionOf(fileName)) || type.test(mediaType);

/** Named or declared as some kind of text. */
const isNamedText = ({ fileName, mediaType = '' }: ParseInput): boolean =>
  knownExtension(extensionOf(fileName)) !== undefined || /^\s*text\//i.test(mediaType);

export function isPdf(input: ParseInput): boolean {
  const { bytes } = input;
  const head = headOf(bytes, PDF_HEADER_WITHIN);
  const at = head.indexOf('%PDF-');
  if (at < 0) return false;
  if (isNamed(input, ['pdf'], /^\s*application\/(?:x-)?pdf\b/i) || looksBinary(bytes)) return true;
  // Printable characters only, as in a PDF without compression: its header is alone on a line, and it contains objects.
  const before = head.slice(0, at).replace(BYTE_ORDER_MARK, '');
  const hasParts =
    /(?:^|[\r\n])$/.test(before) &&
    /^%PDF-\d\.\d\s*[\r\n]/.test(head.slice(at)) &&
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(' obj');
  const [atStart, ends] = [before.trim() === '', endOf(bytes).endsWith('%%EOF')];
  return hasParts && (isNamedText(input) ? atStart && ends : atStart || ends);
}

export function isRtf(input: ParseInput): boolean {
  const head = headOf(input.bytes, 100);
  if (!head.startsWith('{\\rtf')) return false;
  return (
    isNamed(input, ['rtf', 'doc'], /^\s*(?:application|text)\/rtf\b/i) ||
    (/^\{\\rtf\d?\s*\\[a-z]/.test(head) && endOf(input.bytes).endsWith('}'))
  );
}

const HTML_START = /^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html[\s>])/i;
const HTML_PARTS = /<(?:head|body|title|meta|\/html)[\s>]/i;
const HTML_PARTS_WITHIN = 64 * 1024;

/** `isText`: the file is named as text or Markdown, which may quote HTML. */
export function isHtml({ bytes }: ParseInput, isText: boolean): boolean {
  const start = headOf(bytes, 2048).replace(BYTE_ORDER_MARK, '');
  return HTML_START.test(start) && (!isText || HTML_PARTS.test(headOf(bytes, HTML_PARTS_WITHIN)));
}
