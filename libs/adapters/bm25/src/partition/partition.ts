import { chunkIdAt, writeChunkWords } from '@palimpsest/contracts';
import { runToCompletion } from '@palimpsest/foundation';
import type { IndexEntry } from '@palimpsest/knowledge/read-models';
import type { ChunkId } from '@palimpsest/knowledge/values';
import type { ChunkIds } from '../segment/chunk-ids.ts';
import { KERNEL_FROM_CHUNKS, LiveSegment } from '../segment/live-segment.ts';
import { liveOrder, mergeSteps } from '../segment/merge-segments.ts';
import { sealSegment, sealSteps, type PendingChunk } from '../segment/seal-segment.ts';
import { DIGEST_BYTES, type Segment } from '../segment/segment.ts';
import { roundedAverage, type Bm25Parameters } from '../scoring/bm25.ts';
import { TermDictionary } from '../segment/term-dictionary.ts';
import { AttributeSets } from './attribute-sets.ts';
import type { ChunkRecord } from './chunk-record.ts';
import { encodeRecords, type Batch, type EncodedRecords } from '../storage/batch.ts';
import { ByteReader } from '../storage/byte-writer.ts';

/** From this number on, waiting chunks are sealed after the write. The next search seals fewer, which takes some milliseconds. */
const SEAL_FROM = 512;
/** Chunks per step of decoding. */
const STEP = 32;
/** A segment is merged into the older one unless that is more than this many times larger: about log₃ N segments in total. */
const GROWTH = 3;

/** A put with numbers for its names. */
type DecodedChunk = PendingChunk & Readonly<{ chunkId: ChunkId }>;

type PostingPool = { readonly terms: Uint32Array; readonly frequencies: Uint32Array; used: number };

/** The stored form of a compacted partition: one segment, and the tables for its numbers. */
export type PartitionContents = Readonly<{
  segment: Segment;
  dictionary: TermDictionary;
  attributeSets: readonly string[];
  languages: readonly string[];
}>;

/**
 * One partition in memory: some segments, and the statistics of all live chunks. Puts are collected and sealed into a segment by the next
 * search. Segments are merged after writes, never by a search. This does not affect results, because scores depend only on the
 * statistics.
 */
export class Partition {
  readonly #kernelFrom: number;
  #dictionary = TermDictionary.empty();
  #attributeSets = new AttributeSets();
  #languages: string[] = [];
  /** The number of live chunks per language number. */
  #languageCounts: number[] = [];
  #segments: LiveSegment[] = [];
  #pending = new Map<ChunkId, PendingChunk>();
  #count = 0;
  #totalLength = 0;
  #superseded = 0;

  constructor(kernelFrom = KERNEL_FROM_CHUNKS) {
    this.#kernelFrom = kernelFrom;
  }

  static restore(contents: PartitionContents, kernelFrom = KERNEL_FROM_CHUNKS): Partition {
    const partition = new Partition(kernelFrom);
    partition.#adopt(contents, new LiveSegment(contents.segment, kernelFrom));
    for (let chunk = 0; chunk < contents.segment.size; chunk++)
      partition.#countIn(contents.segment.lengths[chunk] as number, contents.segment.languages[chunk] as number);
    return partition;
  }

  /** The number of live chunks; `totalLength` is the number of their tokens. */
  get count(): number {
    return this.#count;
  }
  get totalLength(): number {
    return this.#totalLength;
  }
  /** The number of chunks that were removed or replaced since the partition was loaded. */
  get superseded(): number {
    return this.#superseded;
  }
  get dictionary(): TermDictionary {
    return this.#dictionary;
  }
  get attributeSets(): AttributeSets {
    return this.#attributeSets;
  }

  get bytes(): number {
    const pending = this.#pending.size * 1024;
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0) + this.#dictionary.bytes + this.#attributeSets.bytes + pending;
  }

  /** The languages of live chunks. */
  languages(): readonly string[] {
    return this.#languages.filter((_, language) => (this.#languageCounts[language] as number) > 0);
  }

  /** The languages of live chunks, those with the most chunks first. */
  languagesByCount(): readonly string[] {
    const count = (language: string): number => this.#languageCounts[this.#languages.indexOf(language)] as number;
    return [...this.languages()].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1));
  }

  /** Seals waiting chunks and returns all segments, the largest first. */
  segments(): readonly LiveSegment[] {
    this.#seal();
    return this.#segments;
  }

  put(record: ChunkRecord): void {
    runToCompletion(this.writeSteps({ puts: encodeRecords([record]), removals: [] }));
  }

  /**
   * Applies writes, in small steps. Searches continue between the steps and see none of the writes before the last step, which applies
   * them all. What was searched is prepared for the next search.
   */
  *writeSteps({ puts, removals }: Pick<Batch, 'puts' | 'removals'>, parameters?: Bm25Parameters): Generator<void, void> {
    const chunks = yield* this.#decodeSteps(puts);
    if (parameters !== undefined) yield* this.#expectSteps(chunks, removals, parameters);
    for (const chunkId of removals) this.remove(chunkId);
    for (const chunk of chunks) {
      this.remove(chunk.chunkId);
      this.#pending.set(chunk.chunkId, chunk);
      this.#countIn(chunk.length, chunk.language);
    }
  }

  /** Prepares searched segments for the average length after these writes. It rarely changes: then all their impacts do. */
  *#expectSteps(chunks: readonly DecodedChunk[], removals: readonly ChunkId[], parameters: Bm25Parameters): Generator<void, void> {
    let [count, length] = [this.#count, this.#totalLength];
    for (const chunkId of [...removals, ...chunks.map(({ chunkId }) => chunkId)]) {
      const replaced = this.#lengthOf(chunkId);
      if (replaced === undefined) continue;
      count--;
      length -= replaced;
    }
    count += chunks.length;
    for (const chunk of chunks) length += chunk.length;
    if (count === 0) return;
    const average = roundedAverage(length, count);
    for (const live of [...this.#segments]) if (live.isPrepared) yield* live.expectSteps({ ...parameters, average });
  }

  #lengthOf(chunkId: ChunkId): number | undefined {
    const waiting = this.#pending.get(chunkId);
    if (waiting !== undefined) return waiting.length;
    const id = idOf(chunkId);
    for (const live of this.#segments) {
      const chunk = live.find(id);
      if (chunk >= 0) return live.segment.lengths[chunk];
    }
    return undefined;
  }

  /**
   * Gives terms, attributes and languages their numbers, in small steps. Terms are looked up by their bytes: most are known, so no string
   * has to be created for them.
   */
  *#decodeSteps({ count, bytes }: EncodedRecords): Generator<void, readonly DecodedChunk[]> {
    const records = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const from = new ByteReader(records);
    // One pair of arrays for all chunks, because allocating a pair for each is slow. A term takes at least three bytes.
    const postings = Math.ceil(bytes.length / 3);
    const pool = { terms: new Uint32Array(postings), frequencies: new Uint32Array(postings), used: 0 };
    const chunks: DecodedChunk[] = [];
    while (chunks.length < count) {
      chunks.push(this.#decodeNext(records, from, pool));
      if (chunks.length % STEP === 0) yield;
    }
    return chunks;
  }

  #decodeNext(records: Buffer, from: ByteReader, pool: PostingPool): DecodedChunk {
    const chunkId = from.hex(32) as ChunkId;
    const digest = from.binary(DIGEST_BYTES);
    const language = this.#language(from.text());
    const attributeSet = this.#attributeSets.intern(from.text());
    const length = from.number();
    const start = pool.used;
    const end = (pool.used += from.number());
    for (let i = start; i < end; i++) {
      const { start: at, end: to } = from.textAt();
      pool.terms[i] = this.#dictionary.internBytes(records, at, to);
      pool.frequencies[i] = from.number();
    }
    const [terms, frequencies] = [pool.terms.subarray(start, end), pool.frequencies.subarray(start, end)];
    return { chunkId, id: idOf(chunkId), digest, language, attributeSet, length, terms, frequencies };
  }

  remove(chunkId: ChunkId): void {
    const waiting = this.#pending.get(chunkId);
    if (waiting !== undefined) {
      this.#pending.delete(chunkId);
      this.#superseded++;
      this.#countOut(waiting.length, waiting.language);
      return;
    }
    const id = idOf(chunkId);
    for (const live of this.#segments) {
      const chunk = live.find(id);
      if (chunk < 0) continue;
      live.delete(chunk);
      this.#superseded++;
      this.#countOut(live.segment.lengths[chunk] as number, live.segment.languages[chunk] as number);
      return;
    }
  }

  /** Returns a snapshot of the entries, ordered by chunk id. Later changes do not affect it. */
  entries(): Iterable<IndexEntry> {
    const segments = this.segments().map(({ segment, deleted }) => ({ segment, deleted: deleted.slice() }));
    const { from, chunk } = liveOrder(segments);
    return (function* () {
      for (let i = 0; i < from.length; i++) {
        const { ids, digests } = (segments[from[i] as number] as (typeof segments)[number]).segment;
        const at = chunk[i] as number;
        yield {
          chunkId: chunkIdAt(ids, at),
          digest: Buffer.from(digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES)).toString('hex'),
        };
      }
    })();
  }

  /**
   * Seals many waiting chunks and merges segments when there are too many, in small steps. Searches continue between the steps, but
   * writes must wait. A segment that replaces searched segments is also prepared for the next search.
   */
  *mergeSteps(parameters?: Bm25Parameters): Generator<void, void> {
    if (this.#pending.size >= SEAL_FROM) yield* this.#sealSteps();
    for (;;) {
      const [older, younger] = this.#segments.slice(-2);
      if (older === undefined || younger === undefined || older.segment.size > younger.segment.size * GROWTH) return;
      const merged = yield* this.#inUse(yield* mergeSteps([older, younger]), parameters, older.isPrepared || younger.isPrepared);
      older.release();
      younger.release();
      // A search may have sealed another segment after them.
      this.#segments.splice(this.#segments.indexOf(older), 2, merged);
    }
  }

  /** Merges everything into one segment, drops what no live chunk uses, and returns the rest. Runs in steps like `mergeSteps`. */
  *compactSteps(parameters?: Bm25Parameters): Generator<void, PartitionContents> {
    const before = this.segments();
    const merged = yield* mergeSteps(before);
    const attributes = renumber(merged.attributeSets, this.#attributeSets.json);
    yield;
    const languages = renumber(merged.languages, this.#languages);
    yield;
    const dictionary = yield* this.#dictionary.onlySteps(merged.terms);
    const contents: PartitionContents = {
      segment: {
        ...merged,
        terms: merged.terms.map((_, number) => number),
        attributeSets: attributes.numbers,
        languages: languages.numbers,
      },
      dictionary,
      attributeSets: attributes.kept,
      languages: languages.kept,
    };
    yield;
    const live = yield* this.#inUse(
      contents.segment,
      parameters,
      before.some(({ isPrepared }) => isPrepared),
    );
    this.release();
    const counts = this.#languageCounts;
    const names = this.#languages;
    this.#adopt(contents, live);
    this.#languageCounts = this.#languages.map((name) => counts[names.indexOf(name)] as number);
    return contents;
  }

  /** Frees the kernel memory. The partition stays usable. */
  release(): void {
    for (const segment of this.#segments) segment.release();
  }

  /** `prepared`: also prepares the segment for a search with the current statistics. */
  *#inUse(segment: Segment, parameters: Bm25Parameters | undefined, prepared: boolean): Generator<void, LiveSegment> {
    const live = new LiveSegment(segment, this.#kernelFrom);
    if (prepared && parameters !== undefined && this.#count > 0)
      yield* live.prepareSteps({ ...parameters, average: roundedAverage(this.#totalLength, this.#count) });
    return live;
  }

  #adopt({ segment, dictionary, attributeSets, languages }: PartitionContents, live: LiveSegment): void {
    this.#dictionary = dictionary;
    this.#attributeSets = new AttributeSets(attributeSets);
    this.#languages = [...languages];
    this.#languageCounts = languages.map(() => 0);
    this.#segments = segment.size === 0 ? [] : [live];
  }

  #seal(): void {
    if (this.#pending.size === 0) return;
    this.#addSealed(sealSegment(this.#pending.values(), this.#dictionary.size));
  }

  *#sealSteps(): Generator<void, void> {
    const sealing = this.#pending;
    const sealed = yield* sealSteps(sealing.values(), this.#dictionary.size);
    // A search may have sealed them in between.
    if (this.#pending === sealing) this.#addSealed(sealed);
  }

  #addSealed(segment: Segment): void {
    this.#segments.push(new LiveSegment(segment, this.#kernelFrom));
    this.#pending = new Map();
  }

  #language(name: string): number {
    const known = this.#languages.indexOf(name);
    if (known >= 0) return known;
    this.#languageCounts.push(0);
    return this.#languages.push(name) - 1;
  }

  #countIn(length: number, language: number): void {
    this.#count++;
    this.#totalLength += length;
    this.#languageCounts[language] = (this.#languageCounts[language] as number) + 1;
  }

  #countOut(length: number, language: number): void {
    this.#count--;
    this.#totalLength -= length;
    this.#languageCounts[language] = (this.#languageCounts[language] as number) - 1;
  }
}

const idOf = (chunkId: ChunkId): ChunkIds => {
  const id = new Uint32Array(4);
  writeChunkWords(id, 0, chunkId);
  return id;
};

/** Renumbers the used names, in the order of their first use. */
const renumber = (used: Uint32Array, names: readonly string[]): { numbers: Uint32Array; kept: readonly string[] } => {
  const fresh = new Map<number, number>();
  const kept: string[] = [];
  const numbers = used.map((old) => {
    const known = fresh.get(old);
    if (known !== undefined) return known;
    const number = kept.push(names[old] as string) - 1;
    fresh.set(old, number);
    return number;
  });
  return { numbers, kept };
};
