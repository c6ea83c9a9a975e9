import type { SQLOutputValue } from 'node:sqlite';
import type { ChunkRequest } from './log-calls.ts';
import { WorkerFault } from './worker-protocol.ts';

type Row = Record<string, SQLOutputValue>;

/**
 * Notices in a chunk of one stream what the file's index of streams has lost: a stream has all of its revisions, but for the
 * oldest, which its retention may have taken away.
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
    // Only the first may lie further on: behind what expired, or, backwards, before what was never written.
    const mayLieFurtherOn = this.#last === undefined && (!this.#forwards || row['max_age_ms'] !== null);
    if (revision !== expected && !mayLieFurtherOn) throw missing(String(row['stream']), expected);
    this.#last = revision;
  }

  /** Nothing lies behind what was read of stream `name`; `stream` is its row, if there is one. @throws WorkerFault Corrupt */
  end(name: string, stream: Row | undefined): void {
    if (stream === undefined || stream['max_age_ms'] !== null) return;
    const written = Number(stream['last_revision']);
    const last = this.#last ?? this.#cursor;
    if (this.#forwards ? last < written : Math.min(last, written + 1) > 0) throw missing(name, this.#forwards ? last + 1 : last - 1);
  }
}

const missing = (stream: string, revision: number): WorkerFault =>
  new WorkerFault({ code: 'Corrupt', message: `revision ${revision} of stream ${stream} is missing: the event log is damaged (\`palimpsest verify\` tells where)` });
