import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import { decodeEvent } from './decode-event.ts';
import type { Namespace } from './namespace.ts';
import type { ReadReq } from './protocol.ts';
import { allRead, streamRead, type Direction } from './read-request.ts';
import type { StreamMetadata } from './retention.ts';
import { isMadeUp } from './made-up-position.ts';
import { asKnowledgeError, invalidPosition, isStreamDeleted, isTransient } from './server-faults.ts';
import { serverRead } from './server-read.ts';
import { parseStreamMetadata } from './stream-metadata.ts';

export type ReadTimes = Readonly<{
  /** Maximum time to wait for the next message of the server. */
  idleMs: number;
  /** How long a failed read is retried, counted from its last event. */
  totalMs: number;
}>;

/** Finite reads. A read whose connection fails resumes after its last event. */
export class LogReader {
  readonly #connection: Connection;
  readonly #namespace: Namespace;
  readonly #times: ReadTimes;

  constructor(connection: Connection, namespace: Namespace, times: ReadTimes) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#times = times;
  }

  /** `stream`: its name on the server. `from` is inclusive. Returns nothing for a stream that does not exist or was deleted. */
  async *stream(stream: string, direction: Direction, from: number | undefined, limit: number): AsyncGenerator<RecordedEvent> {
    const step = direction === 'forwards' ? 1 : -1;
    yield* this.#resumed(limit, (last, left) => {
      const next = last === undefined ? from : last.revision + step;
      return next !== undefined && next < 0 ? undefined : streamRead(stream, direction, next, left);
    });
  }

  /** Events of the types that match `regex`, after `from` (forwards) or before it; `from` is exclusive. */
  async *all(direction: Direction, from: Position | 'end', limit: number, regex: string): AsyncGenerator<RecordedEvent> {
    if (from === START && direction === 'backwards') return;
    // Forwards, the server includes the event at the position, so one more is requested.
    const extra = direction === 'forwards' && from !== START ? 1 : 0;
    const events = this.#resumed(
      limit + extra,
      (last, left) => allRead(direction, last?.position ?? from, left, regex),
      async (error) => {
        if (await isMadeUp(this.#connection, error, from, direction, this.#times.idleMs)) throw invalidPosition();
      },
    );
    let left = limit;
    let seen: Position | undefined = from === 'end' ? undefined : from;
    for await (const event of events) {
      if (direction === 'forwards' && seen !== undefined && event.position <= seen) continue;
      seen = event.position;
      yield event;
      if (--left === 0) return;
    }
  }

  async head(regex: string): Promise<Position> {
    for await (const { position } of this.all('backwards', 'end', 1, regex)) return position;
    return START;
  }

  async metadata(stream: string): Promise<StreamMetadata> {
    const until = Date.now() + this.#times.totalMs;
    for (const backoff = new Backoff(50, 1000); ; await backoff.pause(this.#connection.closed)) {
      try {
        return await this.#metadata(stream);
      } catch (error) {
        if (!this.#isWorthAnother(error, until)) throw error;
      }
    }
  }

  #isWorthAnother(error: unknown, until: number): boolean {
    return isTransient(error) && Date.now() < until && !this.#connection.closed.aborted;
  }

  async #metadata(stream: string): Promise<StreamMetadata> {
    const answers = serverRead(this.#connection, streamRead(`$$${stream}`, 'backwards', undefined, 1), this.#times);
    for await (const messages of answers) {
      const recorded = messages
        .find((message) => message.hasEvent())
        ?.getEvent()
        ?.getEvent();
      if (recorded === undefined) continue;
      const text = Buffer.from(recorded.getData_asU8()).toString();
      return { revision: Number(recorded.getStreamRevision()), metadata: text === '' ? {} : parseStreamMetadata(text) };
    }
    return { revision: -1, metadata: {} };
  }

  /**
   * `requestAfter`: the request for what follows the last event, undefined for nothing more. `onFirstFailure` may throw an error that
   * ends the read, before its first event.
   */
  async *#resumed(
    limit: number,
    requestAfter: (last: RecordedEvent | undefined, left: number) => ReadReq | undefined,
    onFirstFailure?: (error: unknown) => Promise<void>,
  ): AsyncGenerator<RecordedEvent> {
    const backoff = new Backoff(50, 1000);
    let until = Date.now() + this.#times.totalMs;
    let last: RecordedEvent | undefined;
    let left = Math.min(limit, Number.MAX_SAFE_INTEGER);
    while (left > 0) {
      const request = requestAfter(last, left);
      if (request === undefined) return;
      try {
        for await (const messages of serverRead(this.#connection, request, this.#times)) {
          for (const event of messages.flatMap((message) => message.getEvent() ?? [])) {
            last = decodeEvent(this.#namespace, event);
            left -= 1;
            yield last;
          }
          until = Date.now() + this.#times.totalMs;
        }
        return;
      } catch (error) {
        if (isStreamDeleted(error)) return;
        if (last === undefined) await onFirstFailure?.(error);
        if (!this.#isWorthAnother(error, until)) throw asKnowledgeError(error, 'reading');
      }
      await backoff.pause(this.#connection.closed);
    }
  }
}
