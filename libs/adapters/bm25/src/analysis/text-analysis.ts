import { runCooperatively } from '@palimpsest/foundation';
import type { LexicalPut } from '@palimpsest/knowledge/read-models';
import { analysed, toAnalyse, type AnalysedPut, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type EncodedRecords } from '../storage/batch.ts';
import { AnalysisThread } from './analysis-thread.ts';

/** The minimum of UTF-16 units for the analysis thread. Analysing fewer in this thread takes about as long as waking the other one. */
const THREAD_FROM_UNITS = 6_000;

/**
 * Converts texts to the records of an index. Many texts go to a separate thread, which keeps the event loop free and uses another core.
 * A few texts, and those on which that thread dies, are analysed in this thread, a few milliseconds at a time. The result is the same.
 */
export class TextAnalysis {
  /** Expected batches, by their first put. */
  readonly #expected = new WeakMap<LexicalPut, Readonly<{ puts: readonly LexicalPut[]; records: Promise<EncodedRecords> }>>();
  readonly #start: () => AnalysisThread;
  #thread: AnalysisThread | undefined;
  #closed = false;

  constructor(start: () => AnalysisThread = () => new AnalysisThread()) {
    this.#start = start;
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
      ? this.#started()
          .analyse(puts)
          .catch(() => this.#analyseHere(puts))
      : this.#analyseHere(puts);
  }

  /** Starts the thread before many texts arrive. */
  warmUp(): void {
    if (!this.#closed) this.#started();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close();
  }

  #started(): AnalysisThread {
    if (this.#thread === undefined || this.#thread.isGone) this.#thread = this.#start();
    return this.#thread;
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
