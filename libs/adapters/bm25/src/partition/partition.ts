import type { ChunkId, IndexEntry } from '@palimpsest/knowledge';
import { readId, writeId, type ChunkIds } from '../segment/chunk-ids.ts';
import { KERNEL_FROM_CHUNKS, LiveSegment } from '../segment/live-segment.ts';
import { liveOrder, mergeSegments } from '../segment/merge-segments.ts';
import { sealSegment, type PendingChunk } from '../segment/seal-segment.ts';
import { DIGEST_BYTES, type Segment } from '../segment/segment.ts';
import { TermDictionary } from '../segment/term-dictionary.ts';
import { AttributeSets } from './attribute-sets.ts';
import type { ChunkRecord } from './chunk-record.ts';

/** Chunks that wait for a segment; they are sealed by the next search at the latest. */
const MAX_PENDING = 2048;
/** A segment is merged into its elder unless that one is this many times as large: some log₃ N segments in all. */
const GROWTH = 3;

/** Everything that is written down when a partition is compacted: one segment, and what its numbers stand for. */
export type PartitionContents = Readonly<{
  segment: Segment;
  dictionary: TermDictionary;
  attributeSets: readonly string[];
  languages: readonly string[];
}>;

/**
 * One partition in memory: some segments, and the statistics of the live chunks of all. Puts gather, are sealed into a segment,
 * and segments are merged as they grow; none of that shows in an answer, since scores depend on the statistics alone.
 */
export class Partition {
  readonly #kernelFrom: number;
  #dictionary = TermDictionary.empty();
  #attributeSets = new AttributeSets();
  #languages: string[] = [];
  /** Live chunks per language number. */
  #languageCounts: number[] = [];
  #segments: LiveSegment[] = [];
  #pending = new Map<ChunkId, PendingChunk>();
  #count = 0;
  #totalLength = 0;

  constructor(kernelFrom = KERNEL_FROM_CHUNKS) {
    this.#kernelFrom = kernelFrom;
  }

  static restore(contents: PartitionContents, kernelFrom = KERNEL_FROM_CHUNKS): Partition {
    const partition = new Partition(kernelFrom);
    partition.#adopt(contents);
    for (let chunk = 0; chunk < contents.segment.size; chunk++)
      partition.#countIn(contents.segment.lengths[chunk] as number, contents.segment.languages[chunk] as number);
    return partition;
  }

  /** Live chunks, and their tokens in all. */
  get count(): number {
    return this.#count;
  }
  get totalLength(): number {
    return this.#totalLength;
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

  /** Languages that a live chunk is in. */
  languages(): readonly string[] {
    return this.#languages.filter((_, language) => (this.#languageCounts[language] as number) > 0);
  }

  /** Every chunk lies in one of these after the call, the largest segment first. */
  segments(): readonly LiveSegment[] {
    this.#seal();
    return this.#segments;
  }

  put(record: ChunkRecord): void {
    this.remove(record.chunkId);
    const id = idOf(record.chunkId);
    const language = this.#language(record.language);
    this.#pending.set(record.chunkId, {
      id, language, length: record.length,
      digest: Buffer.from(record.digest, 'hex'),
      attributeSet: this.#attributeSets.intern(record.attributes),
      terms: Uint32Array.from(record.terms.keys(), (term) => this.#dictionary.intern(term)),
      frequencies: Uint32Array.from(record.terms.values()),
    });
    this.#countIn(record.length, language);
    if (this.#pending.size >= MAX_PENDING) this.#seal();
  }

  remove(chunkId: ChunkId): void {
    const waiting = this.#pending.get(chunkId);
    if (waiting !== undefined) {
      this.#pending.delete(chunkId);
      this.#countOut(waiting.length, waiting.language);
      return;
    }
    const id = idOf(chunkId);
    for (const live of this.#segments) {
      const chunk = live.find(id);
      if (chunk < 0) continue;
      live.delete(chunk);
      this.#countOut(live.segment.lengths[chunk] as number, live.segment.languages[chunk] as number);
      return;
    }
  }

  /** As it is at the call, in the order of chunk ids, whatever happens while they are read. */
  entries(): Iterable<IndexEntry> {
    const segments = this.segments().map(({ segment, deleted }) => ({ segment, deleted: deleted.slice() }));
    const { from, chunk } = liveOrder(segments);
    return (function* () {
      for (let i = 0; i < from.length; i++) {
        const { ids, digests } = (segments[from[i] as number] as (typeof segments)[number]).segment;
        const at = chunk[i] as number;
        yield { chunkId: readId(ids, at), digest: Buffer.from(digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES)).toString('hex') };
      }
    })();
  }

  /** Merges everything into one segment, forgets what no live chunk uses, and answers what is left. */
  compact(): PartitionContents {
    const merged = mergeSegments(this.segments());
    const attributes = renumber(merged.attributeSets, this.#attributeSets.json);
    const languages = renumber(merged.languages, this.#languages);
    const contents: PartitionContents = {
      segment: {
        ...merged,
        terms: Uint32Array.from(merged.terms, (_, number) => number),
        attributeSets: attributes.numbers,
        languages: languages.numbers,
      },
      dictionary: this.#dictionary.only(merged.terms),
      attributeSets: attributes.kept,
      languages: languages.kept,
    };
    this.release();
    const counts = this.#languageCounts;
    const names = this.#languages;
    this.#adopt(contents);
    this.#languageCounts = this.#languages.map((name) => counts[names.indexOf(name)] as number);
    return contents;
  }

  /** Gives the kernel's memory back. The partition stays usable. */
  release(): void {
    for (const segment of this.#segments) segment.release();
  }

  #adopt({ segment, dictionary, attributeSets, languages }: PartitionContents): void {
    this.#dictionary = dictionary;
    this.#attributeSets = new AttributeSets(attributeSets);
    this.#languages = [...languages];
    this.#languageCounts = languages.map(() => 0);
    this.#segments = segment.size === 0 ? [] : [new LiveSegment(segment, this.#kernelFrom)];
  }

  #seal(): void {
    if (this.#pending.size === 0) return;
    this.#segments.push(new LiveSegment(sealSegment(this.#pending.values(), this.#dictionary.size), this.#kernelFrom));
    this.#pending = new Map();
    for (;;) {
      const [elder, younger] = this.#segments.slice(-2);
      if (elder === undefined || younger === undefined || elder.segment.size > younger.segment.size * GROWTH) return;
      elder.release();
      younger.release();
      this.#segments.splice(-2, 2, new LiveSegment(mergeSegments([elder, younger]), this.#kernelFrom));
    }
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
  writeId(id, 0, chunkId);
  return id;
};

/** Numbers what is used anew, in the order of use. */
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

