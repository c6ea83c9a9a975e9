import { domainCodec } from '@palimpsest/contracts';
import { nextTurn, type Scheduler } from '@palimpsest/foundation';
import type { EventLog, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import { checkpointStream, type SignedCheckpoint } from '@palimpsest/knowledge/proofs';
import { position, START, type Position } from '@palimpsest/knowledge/values';
import { checkpointDigest, NO_CHECKPOINT, openCheckpoint } from './checkpoint.ts';
import { compareRecords, type FoundRecord, type LogFinding } from './compare-records.ts';
import { recordDigest } from './record-digest.ts';
import { RemovedHistory } from './removed-history.ts';

/** Findings that are listed; all are counted. */
const MAX_LISTED = 100;
/** Records that are digested before other work runs. */
const IN_ONE_TURN = 128;

/** Names a checkpoint that the caller has kept: its number and its digest. */
export type KnownCheckpoint = Readonly<{ number: number; digest: string }>;

export type LogCheck = Readonly<{
  /** Nothing was changed, removed, inserted or reordered among the signed records. */
  intact: boolean;
  /** Records that match the checkpoints. */
  records: number;
  /** Records that the log has removed because of the age limit of their stream. */
  expired: number;
  /** Records that the log has removed as old history, as another record on it says. */
  vacuumed: number;
  checkpoints: number;
  /** Keep it: a later check finds out whether the log still continues it. */
  last?: KnownCheckpoint & Readonly<{ upTo: Position; signedAt: string }>;
  /** Records after the last checkpoint, which nothing protects yet. */
  unsigned: number;
  findingCount: number;
  /** In the order of the log, the first ones. */
  findings: readonly LogFinding[];
}>;

type Options = Readonly<{ publicKey: Uint8Array; scheduler: Scheduler; known?: KnownCheckpoint; signal?: AbortSignal }>;

/** Compares all records of the log with its signed checkpoints. */
export const checkLog = async (log: EventLog, options: Options): Promise<LogCheck> => new Check(log, options).run();

class Check {
  readonly #log: EventLog;
  readonly #options: Options;
  readonly #records: AsyncIterator<RecordedEvent>;
  readonly #removedHistory: RemovedHistory;
  readonly #firstRevisions = new Map<StreamName, number>();
  readonly #findings: LogFinding[] = [];
  #findingCount = 0;
  #next: IteratorResult<RecordedEvent, unknown> | undefined;
  #matched = 0;
  #expired = 0;
  #vacuumed = 0;
  #digested = 0;
  #last: SignedCheckpoint | undefined;
  #checkpoints = 0;
  #sawKnown = false;

  constructor(log: EventLog, options: Options) {
    this.#log = log;
    this.#options = options;
    this.#removedHistory = new RemovedHistory(log);
    this.#records = log.readAll()[Symbol.asyncIterator]();
  }

  async run(): Promise<LogCheck> {
    try {
      for await (const record of this.#log.readStream(checkpointStream())) await this.#checkpoint(record);
      const { known } = this.#options;
      if (known !== undefined && !this.#sawKnown)
        this.#report({
          kind: 'removed',
          position: this.#reached(),
          message: `checkpoint ${known.number}, which you know, is not on the log`,
        });
      const unsigned = await this.#remaining();
      return this.#result(unsigned);
    } finally {
      await this.#records.return?.();
    }
  }

  #result(unsigned: number): LogCheck {
    const last = this.#last;
    return {
      intact: this.#findingCount === 0,
      records: this.#matched,
      expired: this.#expired,
      vacuumed: this.#vacuumed,
      checkpoints: this.#checkpoints,
      ...(last
        ? { last: { number: last.number, digest: checkpointDigest(last), upTo: position(last.upTo), signedAt: last.signedAt } }
        : {}),
      unsigned,
      findingCount: this.#findingCount,
      findings: this.#findings,
    };
  }

  async #checkpoint(record: RecordedEvent): Promise<void> {
    this.#checkpoints += 1;
    const checkpoint = signedCheckpointOf(record);
    const opened = checkpoint === undefined ? 'it cannot be read' : this.#open(checkpoint);
    if (checkpoint === undefined || typeof opened === 'string')
      return this.#report({
        ...placeOf(record),
        kind: 'changed',
        message: `the checkpoint at position ${record.position}: ${String(opened)}`,
      });
    const previous = this.#last ? checkpointDigest(this.#last) : NO_CHECKPOINT;
    if (checkpoint.number !== (this.#last?.number ?? 0) + 1 || checkpoint.previous !== previous)
      this.#report({
        ...placeOf(record),
        kind: 'removed',
        message: `the checkpoint before number ${checkpoint.number} is missing or is another one`,
      });
    // Records before it belong to checkpoints that are missing or damaged, which is reported.
    for await (const _ of this.#recordsUpTo(position(checkpoint.after)));
    const found: FoundRecord[] = [];
    for await (const record of this.#recordsUpTo(position(checkpoint.upTo))) {
      found.push({ record, content: recordDigest(record) });
      if (++this.#digested % IN_ONE_TURN === 0) await nextTurn(this.#options.scheduler);
    }
    const compared = await compareRecords(opened, found, {
      firstRevision: (stream) => this.#firstRevision(stream),
      isVacuumed: (at) => this.#removedHistory.has(at),
    });
    this.#matched += compared.matched;
    this.#expired += compared.expired;
    this.#vacuumed += compared.vacuumed;
    for (const finding of compared.findings) this.#report(finding);
    this.#last = checkpoint;
  }

  /** Its entries, or what is wrong with it. */
  #open(checkpoint: SignedCheckpoint): ReturnType<typeof openCheckpoint> {
    const { number, after, upTo } = checkpoint;
    if (position(upTo) <= position(after)) return 'it ends before it begins';
    if (number <= (this.#last?.number ?? 0)) return `it has the number ${number} of an earlier one`;
    const { known, publicKey } = this.#options;
    if (known?.number === number) {
      this.#sawKnown = true;
      if (checkpointDigest(checkpoint) !== known.digest) return 'it is not the one that you know';
    }
    return openCheckpoint(checkpoint, publicKey);
  }

  /** Without checkpoints. */
  async *#recordsUpTo(upTo?: Position): AsyncGenerator<RecordedEvent> {
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const next = (this.#next ??= await this.#records.next());
      if (next.done || (upTo !== undefined && next.value.position > upTo)) return;
      this.#next = undefined;
      if (next.value.stream !== checkpointStream()) yield next.value;
    }
  }

  async #remaining(): Promise<number> {
    let unsigned = 0;
    for await (const _ of this.#recordsUpTo()) unsigned += 1;
    return unsigned;
  }

  #reached(): Position {
    return this.#last ? position(this.#last.upTo) : START;
  }

  /** The first revision of the stream that can be read; everything before it was removed by age. */
  async #firstRevision(stream: StreamName): Promise<number> {
    const known = this.#firstRevisions.get(stream);
    if (known !== undefined) return known;
    let first = Infinity;
    for await (const { revision } of this.#log.readStream(stream, { limit: 1 })) first = revision;
    this.#firstRevisions.set(stream, first);
    return first;
  }

  #report(finding: LogFinding): void {
    this.#findingCount += 1;
    if (this.#findings.length < MAX_LISTED) this.#findings.push(finding);
  }
}

const placeOf = ({ position: at, stream }: RecordedEvent): Pick<LogFinding, 'position' | 'stream'> => ({ position: at, stream });

const signedCheckpointOf = (record: RecordedEvent): SignedCheckpoint | undefined => {
  try {
    const { event } = domainCodec.decode(record);
    return event.type === 'LogCheckpointSigned' ? event.data : undefined;
  } catch {
    return undefined;
  }
};
