import { crc32 } from 'node:zlib';
import { position, type Position } from '@palimpsest/knowledge/values';
import { BM25_ANALYSER_VERSION } from '../analysis/analyse.ts';
import type { PartitionContents } from '../partition/partition.ts';
import type { Frequencies } from '../segment/segment.ts';
import { TermDictionary } from '../segment/term-dictionary.ts';
import { Damaged } from './damaged.ts';
import { packSteps, unpackSteps } from './packed-postings.ts';

/*
 * The base file of a partition: magic, length and checksum of the header, header (JSON), then the arrays. Each array is little-endian
 * and starts at a multiple of eight bytes, so that it can be used in place after reading. Format 1 has chunks and frequencies of the postings as they
 * are, format 2 packed (`packed-postings.ts`).
 */
const MAGIC = 'PLXBM25\n';
const FORMAT = 2;
const PREFIX = MAGIC.length + 8;

const ARRAYS = { Uint8Array, Uint16Array, Uint32Array } as const;
type ArrayName = keyof typeof ARRAYS;
type TypedArray = Uint8Array | Uint16Array | Uint32Array;
type Section = Readonly<{ name: string; type: ArrayName; at: number; length: number }>;
type Header = Readonly<{
  format: number;
  analyser: string;
  upTo: string;
  size: number;
  /** Of a frequency in memory; format 2. */
  frequencyBytes?: number;
  languages: readonly string[];
  sections: readonly Section[];
  bodyLength: number;
  bodyChecksum: number;
}>;

/** Checksummed without a pause: about a millisecond. */
const STEP_BYTES = 2 ** 20;

/** Returns the pieces of the file, in order. In small steps. */
export function* encodeSteps(
  { segment, dictionary, attributeSets, languages }: PartitionContents,
  upTo: Position,
): Generator<void, readonly Uint8Array[]> {
  const { size, chunks, frequencies, ...arrays } = segment;
  const all: Readonly<Record<string, TypedArray>> = {
    ...arrays,
    packedPostings: yield* packSteps({ offsets: arrays.offsets, chunks, frequencies }),
    dictionaryUnits: dictionary.units(),
    dictionaryStarts: dictionary.starts(),
    attributeRecords: Buffer.from(attributeSets.join('\n')),
  };
  const sections: Section[] = [];
  const body: Uint8Array[] = [];
  let at = 0;
  let bodyChecksum = 0;
  for (const [name, array] of Object.entries(all)) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const padding = new Uint8Array(-bytes.length & 7);
    sections.push({ name, type: typeOf(array), at, length: array.length });
    for (const piece of [bytes, padding]) {
      body.push(piece);
      at += piece.length;
      for (let from = 0; from < piece.length; from += STEP_BYTES) {
        bodyChecksum = crc32(piece.subarray(from, from + STEP_BYTES), bodyChecksum);
        yield;
      }
    }
  }
  const header: Header = {
    format: FORMAT,
    analyser: BM25_ANALYSER_VERSION,
    upTo: String(upTo),
    size,
    frequencyBytes: frequencies.BYTES_PER_ELEMENT,
    languages,
    sections,
    bodyLength: at,
    bodyChecksum,
  };
  const json = Buffer.from(JSON.stringify(header));
  const padded = Buffer.alloc(Math.ceil(json.length / 8) * 8, ' ');
  json.copy(padded);
  const prefix = Buffer.alloc(PREFIX);
  prefix.write(MAGIC, 'latin1');
  prefix.writeUInt32LE(padded.length, MAGIC.length);
  prefix.writeUInt32LE(crc32(padded), MAGIC.length + 4);
  return [prefix, padded, ...body];
}

function* checksumSteps(bytes: Uint8Array): Generator<void, number> {
  let checksum = 0;
  for (let from = 0; from < bytes.length; from += STEP_BYTES) {
    checksum = crc32(bytes.subarray(from, from + STEP_BYTES), checksum);
    yield;
  }
  return checksum;
}

/**
 * In small steps.
 * @param bytes the whole file, starting at the beginning of its ArrayBuffer
 * @throws Damaged
 */
export function* decodeSteps(bytes: Buffer): Generator<void, Readonly<{ contents: PartitionContents; upTo: Position }>> {
  if (bytes.length < PREFIX || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Damaged('the base file does not start with its magic bytes');
  const bodyAt = PREFIX + bytes.readUInt32LE(MAGIC.length);
  const json = bytes.subarray(PREFIX, bodyAt);
  if (crc32(json) !== bytes.readUInt32LE(MAGIC.length + 4)) throw new Damaged('the header of the base file does not match its checksum');
  const header = JSON.parse(json.toString()) as Header;
  if (header.format !== 1 && header.format !== FORMAT) throw new Damaged(`the base file has format ${header.format}, not ${FORMAT}`);
  requireAnalyser(header.analyser);
  const body = bytes.subarray(bodyAt);
  if (body.length !== header.bodyLength)
    throw new Damaged(`the base file has ${body.length} bytes of data instead of ${header.bodyLength}`);
  if ((yield* checksumSteps(body)) !== header.bodyChecksum) throw new Damaged('the base file does not match its checksum');
  const section = <T extends TypedArray>(name: string): T => {
    const { type, at, length } = header.sections.find((candidate) => candidate.name === name) as Section;
    return new ARRAYS[type](bytes.buffer as ArrayBuffer, bytes.byteOffset + bodyAt + at, length) as T;
  };
  const attributes = Buffer.from(section<Uint8Array>('attributeRecords')).toString();
  const offsets = section<Uint32Array>('offsets');
  const { chunks, frequencies } =
    header.format === 1
      ? { chunks: section<Uint32Array>('chunks'), frequencies: section<Frequencies>('frequencies') }
      : yield* unpackSteps(offsets, section('packedPostings'), 0x100 ** (header.frequencyBytes ?? 1) - 1);
  return {
    upTo: position(header.upTo),
    contents: {
      dictionary: TermDictionary.restore(section('dictionaryUnits'), section('dictionaryStarts')),
      attributeSets: attributes === '' ? [] : attributes.split('\n'),
      languages: header.languages,
      segment: {
        size: header.size,
        ids: section('ids'),
        digests: section('digests'),
        lengths: section('lengths'),
        attributeSets: section('attributeSets'),
        languages: section('languages'),
        terms: section('terms'),
        offsets,
        chunks,
        frequencies,
      },
    },
  };
}

/** @throws Damaged when another analyser version produced the terms: they would not match the terms of a query */
export const requireAnalyser = (analyser: unknown): void => {
  if (analyser !== BM25_ANALYSER_VERSION)
    throw new Damaged(`written with analyser version ${String(analyser)}, expected ${BM25_ANALYSER_VERSION}`);
};

const typeOf = (array: TypedArray): ArrayName =>
  array instanceof Uint32Array ? 'Uint32Array' : array instanceof Uint16Array ? 'Uint16Array' : 'Uint8Array';
