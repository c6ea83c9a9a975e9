import { crc32 } from 'node:zlib';
import { runToCompletion } from '@palimpsest/foundation';
import { chunkId, position } from '@palimpsest/knowledge/values';
import { toRecord } from '../partition/chunk-record.ts';
import { Partition, type PartitionContents } from '../partition/partition.ts';
import { decodeSteps, encodeSteps } from './base-file.ts';
import { Damaged } from './damaged.ts';

const PREFIX = 16;
type Header = {
  format: number;
  sections: { name: string; type: string; at: number; length: number }[];
  bodyLength: number;
  bodyChecksum: number;
};

const contentsOf = (texts: readonly string[]): PartitionContents => {
  const partition = new Partition();
  for (const [n, text] of texts.entries())
    partition.put(toRecord({ write: 'put', chunkId: chunkId(n.toString(16).padStart(32, '0')), text, language: 'en', attributes: { n } }));
  return runToCompletion(partition.compactSteps());
};

const encoded = (contents: PartitionContents): Buffer => Buffer.concat(runToCompletion(encodeSteps(contents, position(7n))));
const decoded = (bytes: Buffer) => runToCompletion(decodeSteps(bytes));

/** The file with another header and body, and their checksums. */
const rewritten = (file: Buffer, change: (header: Header, body: Buffer) => Buffer): Buffer => {
  const bodyAt = PREFIX + file.readUInt32LE(8);
  const header = JSON.parse(file.toString('utf8', PREFIX, bodyAt)) as Header;
  const body = change(header, file.subarray(bodyAt));
  const text = JSON.stringify({ ...header, bodyLength: body.length, bodyChecksum: crc32(body) });
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const prefix = Buffer.from(file.subarray(0, PREFIX));
  prefix.writeUInt32LE(json.length, 8);
  prefix.writeUInt32LE(crc32(json), 12);
  // Arrays are used in place, so the file starts at the beginning of its memory.
  const bytes = Buffer.from(new ArrayBuffer(PREFIX + json.length + body.length));
  Buffer.concat([prefix, json, body]).copy(bytes);
  return bytes;
};

/** As earlier versions wrote it: the chunks and frequencies of the postings as they are. */
const inFormat1 = (file: Buffer, { segment: { chunks, frequencies } }: PartitionContents): Buffer =>
  rewritten(file, (header, body) => {
    header.format = 1;
    header.sections = header.sections.filter(({ name }) => name !== 'packedPostings');
    header.sections.push({ name: 'chunks', type: 'Uint32Array', at: body.length, length: chunks.length });
    const padding = Buffer.alloc((8 - (chunks.byteLength % 8)) % 8);
    header.sections.push({
      name: 'frequencies',
      type: 'Uint8Array',
      at: body.length + chunks.byteLength + padding.length,
      length: frequencies.length,
    });
    return Buffer.concat([body, Buffer.from(chunks.slice().buffer), padding, Buffer.from(frequencies.slice().buffer)]);
  });

describe('the base file', () => {
  const texts = Array.from({ length: 300 }, (_, n) => `apples ${n % 2 === 0 ? 'pears' : 'plums'} number${n}`);

  it('is the contents again', () => {
    const contents = contentsOf(texts);
    expect(decoded(encoded(contents))).toMatchObject({ upTo: 7n, contents: { segment: contents.segment } });
  });

  it('of an earlier version is read, too', () => {
    const contents = contentsOf(texts);
    const before = inFormat1(encoded(contents), contents);
    expect(before.length).toBeGreaterThan(encoded(contents).length);
    expect(decoded(before).contents.segment).toEqual(contents.segment);
  });

  it.each([
    ['another format', (header: Header, body: Buffer) => ((header.format = 3), body), /format 3/],
    [
      'postings that do not match their terms',
      ({ sections }: Header, body: Buffer) => {
        const packed = sections.find(({ name }) => name === 'packedPostings');
        if (packed !== undefined) packed.length--;
        return body;
      },
      /another length/,
    ],
  ])('is damaged with %s', (_, change, reason) => {
    const broken = rewritten(encoded(contentsOf(texts)), change);
    expect(() => decoded(broken)).toThrow(Damaged);
    expect(() => decoded(broken)).toThrow(reason);
  });
});
