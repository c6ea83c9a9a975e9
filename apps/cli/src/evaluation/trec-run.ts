import type { ScoredDocument } from '@palimpsest/evaluation';
import { UsageError } from '../failure.ts';
import type { Line } from './text-lines.ts';

/** What a search returned for each query, by query id. */
export type Run = ReadonlyMap<string, readonly ScoredDocument[]>;

/**
 * A run in the format of TREC: `query Q0 document rank score tag`, separated by white space. The rank is ignored, as in trec_eval: scores
 * decide.
 * @throws UsageError that names the invalid line
 */
export const runFrom = (lines: readonly Line[]): Run => {
  const run = new Map<string, Map<string, number>>();
  for (const { text, at } of lines) {
    const [query, , document, , score, ...rest] = text.trim().split(/\s+/);
    if (query === undefined || document === undefined || rest.length !== 1 || !Number.isFinite(Number(score)))
      throw new UsageError(`${at}: expected the six columns of a TREC run (query Q0 document rank score tag), with a number as score`);
    const documents = run.get(query) ?? new Map<string, number>();
    if (documents.has(document)) throw new UsageError(`${at}: expected each document once per query, got ${document} again for ${query}`);
    run.set(query, documents.set(document, Number(score)));
  }
  return new Map([...run].map(([query, documents]) => [query, [...documents].map(([id, score]) => ({ id, score }))]));
};

/** The smallest step from one score to the next: also 32-bit floats, which trec_eval uses, tell them apart. */
const STEP = 2 ** -22;

/**
 * The text of a run. Scores that do not decrease are lowered a little, so that readers of the run see the documents in this order.
 * @throws UsageError for an id with white space, which the format cannot hold
 */
export const textOfRun = (run: Run, tag: string): string => {
  const lines: string[] = [];
  for (const [query, documents] of run) {
    let highest = Number.POSITIVE_INFINITY;
    for (const [index, { id, score }] of documents.entries()) {
      for (const [what, value] of Object.entries({ query, document: id }))
        if (/\s/.test(value) || value === '') throw new UsageError(`${what} id "${value}": a TREC run cannot hold an id with white space`);
      const written = Math.min(score, highest);
      highest = written - Math.max(1, Math.abs(written)) * STEP;
      lines.push(`${query} Q0 ${id} ${index + 1} ${written} ${tag}`);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
};
