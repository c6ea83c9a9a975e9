import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { humanCount, humanSize } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';

/** Bit 0 of an entry's flags: its content is encrypted. */
const ENCRYPTED = 1;
/** The maximum compression ratio of deflate. */
const MAX_DEFLATE_RATIO = 1_032;
/** An archive that cannot expand beyond this is harmless, even if its sizes are wrong. */
const HARMLESS = 50_000_000;
/** The compression ratio of smaller parts is not limited. */
const RATIO_COUNTS_FROM = 20_000_000;

export type ZipContents = Readonly<{
  has: (name: string) => boolean;
  names: () => readonly string[];
  /** Whether an XML part ends with the closing tag of its root. False if it cannot be read. */
  isWhole: (name: string) => Promise<boolean>;
  /** An entry's text (UTF-8 or UTF-16), or undefined if it does not exist. Entries above `maxBytes` are rejected as `too-large`. */
  readText: (name: string, maxBytes?: number) => Promise<string | undefined>;
}>;

/**
 * Opens a zip and checks its directory against the limits before anything is expanded. Rejects as `password`, `too-large` or
 * `corrupt`. If the declared sizes could hide much more, each part is expanded once, as a stream, to verify them: format readers
 * trust these sizes.
 */
export async function openZip(bytes: Uint8Array, limits: ParserLimits): Promise<ZipContents> {
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
    });
    const entries = await collectEntries(zip, limits);
    await verifySizes(zip, entries.all);
    return {
      has: (name) => entries.byName.has(name),
      names: () => [...entries.byName.keys()],
      readText: async (name, maxBytes = limits.maxTextChars * 4) => {
        const entry = entries.byName.get(name);
        return entry === undefined ? undefined : decodeXml(await readEntry(zip, entry, maxBytes));
      },
      isWhole: async (name) => {
        const entry = entries.byName.get(name);
        return entry !== undefined && (await endsWhole(zip, entry).catch(() => false));
      },
    };
  } catch (error) {
    if (error instanceof ParseRejection) throw error;
    throw new ParseRejection('corrupt', 'The file is a zip container that is damaged or incomplete.');
  }
}

async function verifySizes(zip: ZipFile, entries: readonly Entry[]): Promise<void> {
  const packed = entries.reduce(
    (sum, { compressedSize, compressionMethod }) => sum + compressedSize * (compressionMethod === 0 ? 1 : MAX_DEFLATE_RATIO),
    0,
  );
  if (packed <= HARMLESS) return;
  for (const entry of entries) {
    if (entry.compressionMethod !== 8) continue;
    // yauzl fails the stream if it yields more or less than the directory declares.
    for await (const _ of await zip.openReadStreamPromise(entry)) void _;
  }
}

async function collectEntries(zip: ZipFile, limits: ParserLimits): Promise<{ all: Entry[]; byName: Map<string, Entry> }> {
  if (zip.entryCount > limits.maxZipEntries) {
    throw new ParseRejection(
      'too-large',
      `The zip container has ${humanCount(zip.entryCount)} entries; at most ${humanCount(limits.maxZipEntries)} are allowed.`,
    );
  }
  const all: Entry[] = [];
  const byName = new Map<string, Entry>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    // Decoded here, since yauzl rejects the whole archive because of one invalid name.
    const name = (entry.fileName as unknown as Buffer).toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '');
    if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw new ParseRejection('password', 'The file is protected by a password.');
    checkRatio(entry, name, limits);
    total += entry.uncompressedSize;
    all.push(entry);
    byName.set(name, entry);
  }
  if (total > limits.maxZipBytes) {
    throw new ParseRejection(
      'too-large',
      `The zip container expands to ${humanSize(total)}; at most ${humanSize(limits.maxZipBytes)} is allowed.`,
    );
  }
  return { all, byName };
}

function checkRatio(entry: Entry, name: string, limits: ParserLimits): void {
  const isMarkup = /\.(xml|rels|xhtml|html?|opf|ncx)$/i.test(name);
  const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize);
  if (!isMarkup || entry.uncompressedSize < RATIO_COUNTS_FROM || ratio <= limits.maxZipRatio) return;
  const sizes = `${humanSize(entry.compressedSize)} to ${humanSize(entry.uncompressedSize)}`;
  throw new ParseRejection('too-large', `The part ${name} expands from ${sizes}; at most ${limits.maxZipRatio}-fold is allowed.`);
}

async function readEntry(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  if (entry.uncompressedSize > maxBytes) {
    throw new ParseRejection(
      'too-large',
      `A part of the file expands to ${humanSize(entry.uncompressedSize)}; at most ${humanSize(maxBytes)} is allowed.`,
    );
  }
  const chunks: Buffer[] = [];
  // yauzl fails the stream if it yields more than the directory declares.
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const END_BYTES = 400;

/** Streams a part once, without keeping it in memory: finds the root's name at the beginning and its closing tag at the end. */
async function endsWhole(zip: ZipFile, entry: Entry): Promise<boolean> {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    const chunk = piece as Buffer;
    if (head.length < END_BYTES * 10) head = Buffer.concat([head, chunk.subarray(0, END_BYTES * 10)]);
    tail = Buffer.concat([tail, chunk.subarray(-END_BYTES)]).subarray(-END_BYTES);
  }
  const root = /<([A-Za-z][\w.:-]{0,100})/.exec(decodeXml(head).replace(/\0/g, ''))?.[1];
  const end = tail.toString('latin1').replaceAll('\0', '').trimEnd();
  // An empty root may be self-closing.
  return (
    root !== undefined &&
    (new RegExp(`</${root}\\s*>\\s*(?:<!--[^>]*-->\\s*)?$`).test(end) || (entry.uncompressedSize < END_BYTES * 10 && end.endsWith('/>')))
  );
}

function decodeXml(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}
