import { position, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { ChunkRecord } from '../partition/chunk-record.ts';
import { ByteReader, ByteWriter } from './byte-writer.ts';

/** Concatenated records, each of a different chunk, in the format of the journal. */
export type EncodedRecords = Readonly<{ count: number; bytes: Uint8Array }>;

/** One call of `apply`, with at most one write per chunk. `after`: the position of the partition before it. */
export type Batch = Readonly<{ after: Position; upTo: Position; puts: EncodedRecords; removals: readonly ChunkId[] }>;

export const encodeRecords = (records: readonly ChunkRecord[]): EncodedRecords => {
  const out = new ByteWriter();
  for (const { chunkId, digest, language, attributes, length, terms } of records) {
    out.hex(chunkId);
    out.hex(digest);
    out.text(language);
    out.text(attributes);
    out.number(length);
    out.number(terms.size);
    for (const [term, frequency] of terms) {
      out.text(term);
      out.number(frequency);
    }
  }
  return { count: records.length, bytes: out.bytes() };
};

export const encodeBatch = ({ after, upTo, puts, removals }: Batch): Buffer => {
  const head = new ByteWriter();
  head.text(String(after));
  head.text(String(upTo));
  head.number(removals.length);
  for (const chunkId of removals) head.hex(chunkId);
  head.number(puts.count);
  return Buffer.concat([head.bytes(), puts.bytes]);
};

export const decodeBatch = (bytes: Buffer): Batch => {
  const from = new ByteReader(bytes);
  const after = position(from.text());
  const upTo = position(from.text());
  const removals = Array.from({ length: from.number() }, () => from.hex(32) as ChunkId);
  const count = from.number();
  return { after, upTo, puts: { count, bytes: from.rest() }, removals };
};
