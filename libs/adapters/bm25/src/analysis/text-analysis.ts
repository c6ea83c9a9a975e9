import { setImmediate as nextTurn } from 'node:timers/promises';
import { analysed, type AnalysedPut, type ChunkRecord } from '../partition/chunk-record.ts';
import { encodeRecords, type EncodedRecords } from '../storage/batch.ts';
import { AnalysisThread } from './analysis-thread.ts';

/** UTF-16 units: fewer are analysed here, in about the time that it takes to wake a thread up. */
const WORTH_A_THREAD = 16_000;
/** Milliseconds after which others get their turn. */
const TURN_MS = 4;

/**
 * Texts into the records that an index keeps. Many texts go to a thread, so that the event loop is free and another core works; what comes while
 * that starts, and what it dies over, is analysed here, a few milliseconds at a time. The result is the same either way.
 */
export class TextAnalysis {
  #thread: AnalysisThread | undefined;
  #closed = false;

  async analyse(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    const thread = puts.reduce((sum, { text }) => sum + text.length, 0) < WORTH_A_THREAD ? undefined : this.#readyThread();
    if (thread === undefined) return this.#analyseHere(puts);
    return thread.analyse(puts).catch(() => this.#analyseHere(puts));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread?.close();
  }

  #readyThread(): AnalysisThread | undefined {
    if (this.#closed) return undefined;
    if (this.#thread === undefined || this.#thread.isGone) this.#thread = new AnalysisThread();
    return this.#thread.isReady ? this.#thread : undefined;
  }

  async #analyseHere(puts: readonly AnalysedPut[]): Promise<EncodedRecords> {
    const records: ChunkRecord[] = [];
    let began = performance.now();
    for (const put of puts) {
      if (performance.now() - began > TURN_MS) {
        await nextTurn();
        began = performance.now();
      }
      records.push(analysed(put));
    }
    return encodeRecords(records);
  }
}
