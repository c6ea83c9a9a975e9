import type { Journal } from '@palimpsest/contracts';
import { Mutex, pause, SYSTEM, type Cancel, type System } from '@palimpsest/foundation';
import { auditStream, deniedStream } from '@palimpsest/knowledge/deciders';
import { DEFAULT_TENANT } from '@palimpsest/knowledge/values';
import type { AccessRecord } from '@palimpsest/knowledge/events';
import type { StreamName } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';
import { EntryBatch, type AuditedRequest } from './entry-batch.ts';

export type AuditOptions = Readonly<{
  retentionSeconds: number;
  /** Maximum read entries per tenant and day. */
  readsPerDay: number;
  onError: (error: unknown) => void;
  /** How long entries are collected before writing, in milliseconds; default 1,000, and 30,000 for attempts without a key. */
  gatherMs?: number;
  deniedEveryMs?: number;
  system?: Pick<System, 'clock' | 'scheduler'>;
}>;

/** Maximum distinct attempts without a key per batch, so that a caller without a key cannot fill the log. */
const MAX_DENIED = 10;
/** Maximum distinct reads of a tenant per batch. */
const MAX_READS = 500;
/** Entries per append: at about 2 kB each they stay below the limit of the log. */
const IN_ONE_APPEND = 200;
/** How long the response to a change waits for its entry. If the log is unavailable for longer, the entry is written later. */
export const MAX_WAIT_MS = 5_000;

type Stream = {
  readonly name: StreamName;
  readonly tenant: TenantId;
  batch: EntryBatch;
  prepared: boolean;
  timer: Cancel | undefined;
  writtenAt: number;
  day: string;
  today: number;
};

/**
 * Records who did what, when and from where, in the audit stream of the tenant. Reads are written after their responses, and only counted
 * above a limit. Changes are written before their responses, or as soon as the log is available again.
 */
export class AuditTrail {
  readonly #journal: Journal;
  readonly #options: Required<AuditOptions>;
  readonly #streams = new Map<StreamName, Stream>();
  readonly #mutex = new Mutex();
  #stopped = false;

  constructor(journal: Journal, { gatherMs = 1_000, deniedEveryMs = 30_000, system = SYSTEM, ...options }: AuditOptions) {
    this.#journal = journal;
    this.#options = { gatherMs, deniedEveryMs, system, ...options };
  }

  read(tenant: TenantId, request: AuditedRequest): void {
    const stream = this.#of(auditStream(tenant), tenant);
    const day = request.at.slice(0, 10);
    if (stream.day !== day) [stream.day, stream.today] = [day, 0];
    const before = stream.batch.size;
    stream.batch.read(request, stream.today < this.#options.readsPerDay && before < MAX_READS);
    stream.today += stream.batch.size - before;
    this.#soon(stream, this.#options.gatherMs);
  }

  /** Records an attempt without a valid key, which belongs to no tenant. */
  denied(request: AuditedRequest): void {
    const stream = this.#of(deniedStream(), DEFAULT_TENANT);
    stream.batch.read(request, stream.batch.size < MAX_DENIED);
    this.#soon(
      stream,
      Math.max(this.#options.gatherMs, stream.writtenAt + this.#options.deniedEveryMs - this.#options.system.clock.elapsed()),
    );
  }

  /** Resolves when the entry is on the log, or after a limited wait if the log is unavailable. */
  async change(tenant: TenantId, request: AuditedRequest): Promise<void> {
    const stream = this.#of(auditStream(tenant), tenant);
    stream.batch.change(request);
    const late = new AbortController();
    await Promise.race([this.#flush(stream), pause(MAX_WAIT_MS, late.signal, this.#options.system.scheduler)]);
    late.abort();
  }

  /** Writes the collected entries. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stream of this.#streams.values()) await this.#flush(stream);
  }

  #of(name: StreamName, tenant: TenantId): Stream {
    const known = this.#streams.get(name) ?? {
      name,
      tenant,
      batch: new EntryBatch(),
      prepared: false,
      timer: undefined,
      writtenAt: -Infinity,
      day: '',
      today: 0,
    };
    this.#streams.set(name, known);
    return known;
  }

  #soon(stream: Stream, ms: number): void {
    stream.timer ??= this.#options.system.scheduler.after(ms, () => void this.#flush(stream), { background: true });
  }

  /** Appends sequentially. Never rejects. */
  #flush(stream: Stream): Promise<void> {
    stream.timer?.();
    stream.timer = undefined;
    return this.#mutex.run(() => this.#write(stream));
  }

  async #write(stream: Stream): Promise<void> {
    const { batch } = stream;
    const entries = batch.entries();
    if (entries.length === 0) return;
    stream.batch = new EntryBatch();
    try {
      if (!stream.prepared) await this.#journal.log.setRetention(stream.name, this.#options.retentionSeconds);
      stream.prepared = true;
      for (let from = 0; from < entries.length; from += IN_ONE_APPEND)
        await this.#append(stream, entries.slice(from, from + IN_ONE_APPEND));
      stream.writtenAt = this.#options.system.clock.elapsed();
    } catch (error) {
      stream.batch.keptFrom(batch);
      this.#options.onError(error);
      if (!this.#stopped) this.#soon(stream, MAX_WAIT_MS);
    }
  }

  async #append({ name, tenant }: Stream, entries: readonly AccessRecord[]): Promise<void> {
    await this.#journal.appendToEnd(
      name,
      entries.map((data) => ({ type: 'AccessRecorded' as const, data })),
      { tenant, actor: 'audit', correlationId: 'audit' },
    );
  }
}
