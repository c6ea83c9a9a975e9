import type { SQLOutputValue } from 'node:sqlite';
import type { ChunkRequest } from './log-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

type Row = Record<string, SQLOutputValue>;

/**
 * Detects revisions of one stream that the index of the file has lost. A stream has all of its revisions, except the oldest ones, which
 * its retention or a truncation may have removed.
 */
export class Revisions {
  readonly #forwards: boolean;
  readonly #cursor: number;
  #last: number | undefined;

  constructor({ direction, cursor }: Pick<ChunkRequest, 'direction' | 'cursor'>) {
    this.#forwards = direction === 'forwards';
    this.#cursor = cursor;
  }

  /** @throws WorkerFault Corrupt */
  next(row: Row): void {
    const revision = Number(row['revision']);
    const expected = (this.#last ?? this.#cursor) + (this.#forwards ? 1 : -1);
    // Only the first revision of a read may differ: removed events come before it, or a backwards read starts after the last revision.
    const mayDiffer =
      this.#last === undefined && (!this.#forwards || row['max_age_ms'] !== null || revision <= Number(row['first_revision']));
    if (revision !== expected && !mayDiffer) throw missing(String(row['stream']), expected);
    this.#last = revision;
  }

  /** Call it at the end of stream `name`; `stream` is its row, if it exists. @throws WorkerFault Corrupt */
  end(name: string, stream: Row | undefined): void {
    if (stream === undefined || stream['max_age_ms'] !== null) return;
    const written = Number(stream['last_revision']);
    const last = this.#last ?? this.#cursor;
    if (this.#forwards ? last < written : Math.min(last, written + 1) > Number(stream['first_revision']))
      throw missing(name, this.#forwards ? last + 1 : last - 1);
  }
}

const missing = (stream: string, revision: number): WorkerFault =>
  new WorkerFault({
    code: 'Corrupt',
    message: `revision ${revision} of stream ${stream} is missing: the event log is damaged. Run \`palimpsest verify\` to find all damage`,
  });
