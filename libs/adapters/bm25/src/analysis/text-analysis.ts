import { inTurns } from '@palimpsest/contracts';
import type { LexicalPut } from '@palimpsest/knowledge';
import { analysed, toAnalyse, type AnalysedPut, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type EncodedRecords } from '../storage/batch.ts';
import { AnalysisThread } from './analysis-thread.ts';

/** UTF-16 units: fewer are analysed here, in about the time that it takes to wake a thread up. */
const WORTH_A_THREAD = 6_000;

/**
 * Texts into the records that an index keeps. Many texts go to a thread, so that the event loop is free and another core works; few, and what it
 * dies over, are analysed here, a few milliseconds at a time. The result is the same either way.
 */
export class TextAnalysis {
  /** By their first put. */
  readonly #expected = new WeakMap<LexicalPut, Readonly<{ puts: readonly LexicalPut[]; records: Promise<EncodedRecords> }>>();
  readonly #start: () => AnalysisThread;
  #thread: AnalysisThread | undefined;
  #closed = false;

  constructor(start: () => AnalysisThread = () => new AnalysisThread()) {
    this.#start = start;
  }

  /** Of puts that were told by `expect`, in the same order, the work is under way. */
  analyse(puts: readonly LexicalPut[]): Promise<EncodedRecords> {
    const [first] = puts;
    const expected = first && this.#expected.get(first);
    const isExpected = expected?.puts.length === puts.length && puts.every((put, i) => put === expected.puts[i]);
    return isExpected ? expected.records : this.#analyse(puts.map(toAnalyse));
  }

  /** Begins with puts that will come. */
  expect(puts: readonly LexicalPut[]): void {
    const [first] = puts;
    if (this.#closed || first === undefined) return;
    const records = this.#analyse(puts.map(toAnalyse));
    records.catch(() => undefined); // told to who asks for them, if anybody does
    this.#expected.set(first, { puts, records });
  }

  async #analyse(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    const many = !this.#closed && puts.reduce((sum, { text }) => sum + text.length, 0) >= WORTH_A_THREAD;
    return many ? this.#started().analyse(puts).catch(() => this.#analyseHere(puts)) : this.#analyseHere(puts);
  }

  /** Many texts are about to come: the thread starts meanwhile. */
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
    return inTurns(oneByOne(puts));
  }
}

function* oneByOne(puts: readonly AnalysedPut[]): Generator<undefined, EncodedRecords> {
  const records: ChunkRecord[] = [];
  for (const put of puts) {
    records.push(analysed(put));
    yield;
  }
  return encodeRecords(records);
}
