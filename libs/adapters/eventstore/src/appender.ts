import { KeyedMutex } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { AppendResult, ExpectedRevision, NewEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { AppendAnswer } from './append-answer.ts';
import type { AppendChannel } from './append-channel.ts';
import type { AppendRequest } from './append-request.ts';
import { Backoff } from './backoff.ts';
import { checkName, encodeEvents } from './encode-events.ts';
import type { LogHead } from './log-head.ts';
import type { Namespace } from './namespace.ts';
import { RecentIds } from './recent-ids.ts';
import { asKnowledgeError, isTransient } from './server-faults.ts';

export type AppendTimes = Readonly<{
  /** Maximum duration of one attempt. */
  attemptMs: number;
  /** How long an append is retried while the outcome of the earlier attempts is unknown. */
  totalMs: number;
}>;

/** Ids of appended events that are remembered; about 150 bytes each. */
const RECENT_IDS = 20_000;
/** A revision that no stream reaches. An append that expects it writes nothing and returns the true revision. */
const UNREACHABLE = Number.MAX_SAFE_INTEGER - 1;

/** Appends with exact revisions, and retries with the same ids until the outcome is known. */
export class Appender {
  readonly #namespace: Namespace;
  readonly #channel: AppendChannel;
  readonly #head: LogHead;
  readonly #times: AppendTimes;
  readonly #order = new KeyedMutex();
  readonly #recent = new RecentIds(RECENT_IDS);
  /** Attempts after the first one. */
  retries = 0;

  constructor(namespace: Namespace, channel: AppendChannel, head: LogHead, times: AppendTimes) {
    this.#namespace = namespace;
    this.#channel = channel;
    this.#head = head;
    this.#times = times;
  }

  async append(stream: StreamName, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendResult> {
    checkName('stream', stream);
    const revision = revisionNumber(expected);
    const encoded = encodeEvents(this.#namespace, events);
    const request = { stream: this.#namespace.stream(stream), events: encoded, expected: revision };
    return this.#order.run(stream, () => this.#append(request, stream));
  }

  async #append(request: AppendRequest, stream: StreamName): Promise<AppendResult> {
    const ids = request.events.map(({ id }) => id);
    const first = request.expected + 1;
    const misplaced = this.#recent.isElsewhere(ids, stream, first);
    const before = this.#head.known;
    const answer = await this.send(misplaced ? { ...request, expected: UNREACHABLE } : request);
    if (answer.outcome === 'conflict') return { outcome: 'conflict', actual: answer.actual < 0 ? 'no-stream' : answer.actual };
    const { revision, position } = answer;
    this.#recent.add(ids, stream, revision - ids.length + 1);
    this.#head.advance(position);
    // An event at or before the head of that time was written by an earlier call.
    return { outcome: 'appended', revision, position, repeated: position <= before };
  }

  /** Also for system streams such as metadata: no checks, no order. */
  async send(request: AppendRequest): Promise<AppendAnswer> {
    const until = Date.now() + this.#times.totalMs;
    const backoff = new Backoff(50, 500);
    for (;;) {
      try {
        return await this.#channel.send(request, this.#times.attemptMs, until - Date.now());
      } catch (error) {
        if (!isTransient(error) || Date.now() >= until) throw asKnowledgeError(error, `appending to ${request.stream}`);
      }
      await backoff.pause();
      this.retries += 1;
    }
  }

  /** Resolves when the appends in progress have ended. */
  idle(): Promise<void> {
    return this.#order.idle();
  }
}

/** -1 for `no-stream`. */
const revisionNumber = (expected: ExpectedRevision): number => {
  if (expected === 'no-stream') return -1;
  if (!Number.isSafeInteger(expected) || expected < 0) throw new InvalidValue('expected', '"no-stream" or a revision, 0 or more', expected);
  return expected;
};
