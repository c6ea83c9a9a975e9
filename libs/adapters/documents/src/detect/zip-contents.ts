import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { humanCount, humanSize } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';

/** Bit 0 of an entry's flags: its bytes are encrypted. */
const ENCRYPTED = 1;
/** Parts below this size may be packed as tightly as they like. */
const RATIO_COUNTS_FROM = 20_000_000;

export type ZipContents = Readonly<{
  has: (name: string) => boolean;
  /** An entry's text (UTF-8 or UTF-16), or undefined when it is not there. Entries above `maxBytes` are rejected as `too-large`. */
  readText: (name: string, maxBytes?: number) => Promise<string | undefined>;
}>;

/**
 * Opens a zip and holds its directory against the limits, before anything is expanded. Rejects as `password`, `too-large` or
 * `corrupt`. The sizes are what the archive claims; against one that lies only the memory watch helps.
 */
export async function openZip(bytes: Uint8Array, limits: ParserLimits): Promise<ZipContents> {
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { lazyEntries: true, autoClose: false, decodeStrings: false });
    const entries = await collectEntries(zip, limits);
    return {
      has: (name) => entries.has(name),
      readText: async (name, maxBytes = limits.maxTextChars * 4) => {
        const entry = entries.get(name);
        return entry === undefined ? undefined : decodeXml(await readEntry(zip, entry, maxBytes));
      },
    };
  } catch (error) {
    if (error instanceof ParseRejection) throw error;
    throw new ParseRejection('corrupt', 'The file is a zip container that is damaged or cut off.');
  }
}

async function collectEntries(zip: ZipFile, limits: ParserLimits): Promise<Map<string, Entry>> {
  if (zip.entryCount > limits.maxZipEntries) {
    throw new ParseRejection('too-large', `The zip inside has ${humanCount(zip.entryCount)} entries; at most ${humanCount(limits.maxZipEntries)} are allowed.`);
  }
  const entries = new Map<string, Entry>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    // Decoded here, since yauzl refuses the whole archive for one odd name.
    const name = (entry.fileName as unknown as Buffer).toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '');
    if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw new ParseRejection('password', 'The file is protected by a password.');
    checkRatio(entry, name, limits);
    total += entry.uncompressedSize;
    entries.set(name, entry);
  }
  if (total > limits.maxZipBytes) {
    throw new ParseRejection('too-large', `The zip inside expands to ${humanSize(total)}; at most ${humanSize(limits.maxZipBytes)} is allowed.`);
  }
  return entries;
}

function checkRatio(entry: Entry, name: string, limits: ParserLimits): void {
  const isMarkup = /\.(xml|rels|xhtml|html?|opf|ncx)$/i.test(name);
  const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize);
  if (!isMarkup || entry.uncompressedSize < RATIO_COUNTS_FROM || ratio <= limits.maxZipRatio) return;
  const sizes = `${humanSize(entry.compressedSize)} to ${humanSize(entry.uncompressedSize)}`;
  throw new ParseRejection('too-large', `The part ${name} inside expands from ${sizes}; at most ${limits.maxZipRatio}-fold is allowed.`);
}

async function readEntry(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  if (entry.uncompressedSize > maxBytes) {
    throw new ParseRejection('too-large', `A part of the file expands to ${humanSize(entry.uncompressedSize)}; at most ${humanSize(maxBytes)} is allowed.`);
  }
  const chunks: Buffer[] = [];
  // yauzl fails the stream when it yields more than the directory claims.
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function decodeXml(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}
