import { runCooperatively } from '@palimpsest/foundation';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { analysed, toAnalyse, type AnalysedPut, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type EncodedRecords } from '../storage/batch.ts';
import { AnalysisThreads } from './analysis-threads.ts';

/** One thread for every index of this process: a rebuild opens a second index, and starting a thread takes 0.1 s of CPU. */
const SHARED = new AnalysisThreads();

/** The minimum of UTF-16 units for the analysis thread. Analysing fewer in this thread takes about as long as waking the other one. */
const THREAD_FROM_UNITS = 6_000;

/**
 * Converts texts to the records of an index. Many texts go to a separate thread, which keeps the event loop free and uses another core.
 * A few texts, and those on which that thread dies, are analysed in this thread, a few milliseconds at a time. The result is the same.
 */
export class TextAnalysis {
  /** Expected batches, by their first put. */
  readonly #expected = new WeakMap<LexicalPut, Readonly<{ puts: readonly LexicalPut[]; records: Promise<EncodedRecords> }>>();
  readonly #threads: AnalysisThreads;
  #closed = false;

  constructor(threads: AnalysisThreads = SHARED) {
    this.#threads = threads;
  }

  /** Reuses the work in progress for puts that were announced with `expect` in the same order. */
  analyse(puts: readonly LexicalPut[]): Promise<EncodedRecords> {
    const [first] = puts;
    const expected = first && this.#expected.get(first);
    const isExpected = expected?.puts.length === puts.length && puts.every((put, i) => put === expected.puts[i]);
    return isExpected ? expected.records : this.#analyse(puts.map(toAnalyse));
  }

  /** Starts the analysis of puts that will follow. */
  expect(puts: readonly LexicalPut[]): void {
    const [first] = puts;
    if (this.#closed || first === undefined) return;
    const records = this.#analyse(puts.map(toAnalyse));
    records.catch(() => undefined); // reported when the records are awaited, if they are
    this.#expected.set(first, { puts, records });
  }

  async #analyse(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    const many = !this.#closed && puts.reduce((sum, { text }) => sum + text.length, 0) >= THREAD_FROM_UNITS;
    return many
      ? this.#threads
          .for(this)
          .analyse(puts)
          .catch(() => this.#analyseHere(puts))
      : this.#analyseHere(puts);
  }

  /** Starts the thread before many texts arrive. */
  warmUp(): void {
    if (!this.#closed) this.#threads.for(this);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#threads.leave(this);
  }

  #analyseHere(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    return runCooperatively(analyseSteps(puts));
  }
}

function* analyseSteps(puts: readonly AnalysedPut[]): Generator<undefined, EncodedRecords> {
  const records: ChunkRecord[] = [];
  for (const put of puts) {
    records.push(analysed(put));
    yield;
  }
  return encodeRecords(records);
}
