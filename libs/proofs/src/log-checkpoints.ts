import type { Journal } from '@palimpsest/contracts';
import { nextTurn, timestamp, type System } from '@palimpsest/foundation';
import type { RecordedEvent, Signer } from '@palimpsest/knowledge/ports';
import { checkpointStream, hasAgeLimit, type SignedCheckpoint } from '@palimpsest/knowledge/proofs';
import { DEFAULT_TENANT, position, START, type Position } from '@palimpsest/knowledge/values';
import { signCheckpoint } from './checkpoint.ts';
import { leafOf, type CheckpointEntry } from './checkpoint-entries.ts';
import { recordDigest } from './record-digest.ts';

/** Records of one checkpoint at most: about 45 kB on the log. */
const MAX_RECORDS = 1_024;
/** Records that are digested before other work runs. */
const IN_ONE_TURN = 128;

type Ports = Readonly<{ journal: Journal; signer: Signer; system: Pick<System, 'clock' | 'scheduler'> }>;

/**
 * The signed checkpoints of the log. Any process may sign: a checkpoint is appended at exactly the revision after the last one, so two
 * processes never sign the same records.
 */
export class LogCheckpoints {
  readonly #ports: Ports;
  #signing: Promise<void> | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The last checkpoint; undefined if there is none. */
  async last(): Promise<SignedCheckpoint | undefined> {
    for await (const { event } of this.#ports.journal.readStream(checkpointStream(), { direction: 'backwards', limit: 1 }))
      if (event.type === 'LogCheckpointSigned') return event.data;
    return undefined;
  }

  /** Signs all records that are on the log and have no checkpoint. */
  sign(signal?: AbortSignal): Promise<void> {
    this.#signing ??= this.#sign(signal).finally(() => (this.#signing = undefined));
    return this.#signing;
  }

  async #sign(signal?: AbortSignal): Promise<void> {
    const last = await this.last();
    const { journal, system } = this.#ports;
    let [signed, entries]: [SignedCheckpoint | undefined, CheckpointEntry[]] = [last, []];
    for await (const record of journal.log.readAll({ from: last ? position(last.upTo) : START })) {
      if (signal?.aborted) return;
      if (record.stream === checkpointStream()) continue;
      if (entries.push(entryOf(record)) % IN_ONE_TURN === 0) await nextTurn(system.scheduler);
      if (entries.length < MAX_RECORDS) continue;
      const next = await this.#append(signed, entries);
      // Another process signs.
      if (next === undefined) return;
      [signed, entries] = [next, []];
    }
    if (entries.length > 0) await this.#append(signed, entries);
  }

  /** The checkpoint of the record at this position; undefined if it is not signed yet. */
  async covering(at: Position): Promise<SignedCheckpoint | undefined> {
    const last = await this.last();
    if (last === undefined || position(last.upTo) < at) return undefined;
    let [low, high] = [0, last.number - 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await this.#at(middle);
      if (found !== undefined && position(found.upTo) < at) low = middle + 1;
      else high = middle;
    }
    return this.#at(low);
  }

  async #at(revision: number): Promise<SignedCheckpoint | undefined> {
    for await (const { event } of this.#ports.journal.readStream(checkpointStream(), { from: revision, limit: 1 }))
      if (event.type === 'LogCheckpointSigned') return event.data;
    return undefined;
  }

  /** Undefined if another process has signed meanwhile. */
  async #append(last: SignedCheckpoint | undefined, entries: readonly CheckpointEntry[]): Promise<SignedCheckpoint | undefined> {
    const { journal, signer, system } = this.#ports;
    const data = await signCheckpoint(signer, last, entries, timestamp(system.clock));
    const expected = last ? last.number - 1 : 'no-stream';
    const result = await journal.append(checkpointStream(), [{ type: 'LogCheckpointSigned', data }], expected, {
      tenant: DEFAULT_TENANT,
      actor: 'checkpoints',
      correlationId: 'checkpoints',
    });
    return result.outcome === 'appended' ? data : undefined;
  }
}

/** The leaf of a record in a Merkle tree of records. */
export const recordLeaf = (record: RecordedEvent): Buffer => leafOf(entryOf(record));

export const entryOf = (record: RecordedEvent): CheckpointEntry => ({
  position: record.position,
  content: recordDigest(record),
  ...(hasAgeLimit(record.stream) ? { expires: { stream: record.stream, revision: record.revision } } : {}),
});
