import chardet from 'chardet';
import iconv from 'iconv-lite';
import { ParseRejection } from './parse-rejection.ts';

export type DecodedText = Readonly<{ text: string; warnings: readonly string[] }>;

/** Number of bytes used to guess a character set and to detect binary data. */
const SAMPLE_BYTES = 64 * 1024;
/** A file with a larger share of control bytes is binary; compressed data has 11 %, text none. */
const BINARY_CONTROLS = 0.02;

const startsWith = (bytes: Uint8Array, ...prefix: number[]): boolean => prefix.every((byte, index) => bytes[index] === byte);

/** Detects UTF-16 and UTF-32 by their byte order mark, and UTF-16 without a mark by its zero bytes. Does not detect UTF-8. */
function wideCharset(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, 0xff, 0xfe, 0, 0)) return 'utf-32le';
  if (startsWith(bytes, 0, 0, 0xfe, 0xff)) return 'utf-32be';
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  const length = Math.min(bytes.length, 4096) & ~1;
  if (length < 32) return undefined;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) evenZeros++;
    if (bytes[at + 1] === 0) oddZeros++;
  }
  const max = length * 0.35;
  if (oddZeros > max && evenZeros === 0) return 'utf-16le';
  return evenZeros > max && oddZeros === 0 ? 'utf-16be' : undefined;
}

/** Whether these bytes cannot be text in any character set: zeros outside of UTF-16/32, or too many control characters. */
export function looksBinary(bytes: Uint8Array): boolean {
  if (wideCharset(bytes) !== undefined) return false;
  if (bytes.includes(0)) return true;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    const allowed = byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 27;
    if ((byte < 32 && !allowed) || byte === 127) controls++;
  }
  return controls > sample.length * BINARY_CONTROLS;
}

/** The character set declared in the media type, in HTML's `<meta charset>`, or in the first lines of XML and Python. */
function declaredCharset(bytes: Uint8Array, mediaType?: string): string | undefined {
  const byMediaType = /charset\s*=\s*"?([\w:.-]+)/i.exec(mediaType ?? '')?.[1];
  if (byMediaType !== undefined) return byMediaType;
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  return /(?:<meta[^>]{0,200}charset|<\?xml[^>]{0,100}encoding|coding)\s*[=:]\s*["']?([\w.-]+)/i.exec(head)?.[1];
}

/** Whether there are escape sequences of 7-bit Japanese, Korean or Chinese character sets, which are also valid UTF-8. */
const switchesSets = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).includes('\u001B$');

/** A set with two or four bytes per character. Such a declaration or guess is wrong: wide sets were detected before. */
const isWide = (charset: string): boolean => /^(?:utf-?(?:16|32)|ucs-?[24])/i.test(charset);

/** Guesses from the bytes that matter: starts shortly before the first byte that is not ASCII. */
function guessedCharset(bytes: Uint8Array): string | undefined {
  const first = bytes.findIndex((byte) => byte >= 0x80 || byte === 0x1b);
  const start = Math.max(0, first - 1024);
  return chardet.detect(bytes.subarray(start, start + SAMPLE_BYTES)) ?? undefined;
}

/**
 * Decodes bytes as UTF-8 if they are valid UTF-8, otherwise with the declared character set, otherwise with a guessed one and a warning.
 * Rejects binary content as `unsupported`.
 */
export function decodeText(bytes: Uint8Array, mediaType?: string): DecodedText {
  const wide = wideCharset(bytes);
  if (wide !== undefined) return { text: iconv.decode(Buffer.from(bytes), wide), warnings: [] };
  if (looksBinary(bytes)) throw new ParseRejection('unsupported', 'The file contains binary data, not text.');
  if (!switchesSets(bytes)) {
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), warnings: [] };
    } catch {
      // Not UTF-8: try other character sets.
    }
  }
  const declared = declaredCharset(bytes, mediaType);
  if (declared !== undefined && !/^utf-?8$/i.test(declared) && !isWide(declared) && iconv.encodingExists(declared)) {
    return {
      text: iconv.decode(Buffer.from(bytes), declared),
      warnings: [`The text is not UTF-8; it was decoded as ${declared}, which the file declares.`],
    };
  }
  const guess = guessedCharset(bytes);
  const charset =
    guess !== undefined && guess !== 'UTF-8' && guess !== 'ASCII' && !isWide(guess) && iconv.encodingExists(guess) ? guess : 'windows-1252';
  return {
    text: iconv.decode(Buffer.from(bytes), charset),
    warnings: [`The text is not UTF-8; it was decoded as ${charset}, which is a guess. Some characters may be wrong.`],
  };
}
