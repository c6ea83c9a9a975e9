import type { Journal, Loaded } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import { document, documentStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { subjectErasure as decider, subjectStream, type SubjectErasure, type SubjectErasureCommand } from '@palimpsest/knowledge/erasure';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { ScopeKeys, Signer } from '@palimpsest/knowledge/ports';
import type { SubjectId, TenantSubject } from '@palimpsest/knowledge/subjects';
import type { Position, VectorScope } from '@palimpsest/knowledge/values';
import { ErasureReceipts } from './erasure-receipts.ts';
import { readLogDocuments, readLogRecords, type LogDocuments, type LogRecords } from './log-records.ts';
import { purgeDerived, type DerivedStores } from './purge-derived.ts';
import { ResidueScans, type LocalFiles } from './residue-scans.ts';

export type EraseSubjectPorts = Readonly<{ journal: Journal; keys: ScopeKeys; signer: Signer; system: System; localFiles?: LocalFiles }> &
  DerivedStores;

type Action<C = SubjectErasureCommand> = C extends unknown ? Omit<C, 'subject' | 'now'> : never;
type By = Readonly<{ actor: string; correlationId: string }>;

const ACTOR: By = { actor: 'erasure', correlationId: 'erasure' };
/** Documents that are deleted at the same time, each on its own stream. */
const IN_FLIGHT = 16;

/** Erases everything about a data subject, step by step: each step can be repeated, and a kill in between changes nothing. */
export class EraseSubject {
  readonly #ports: EraseSubjectPorts;
  readonly #receipts: ErasureReceipts;
  readonly #scans: ResidueScans;

  constructor(ports: EraseSubjectPorts) {
    this.#ports = ports;
    this.#scans = new ResidueScans(ports);
    this.#receipts = new ErasureReceipts(ports);
  }

  load(of: TenantSubject): Promise<Loaded<SubjectErasure>> {
    return this.#ports.journal.load(decider, subjectStream(of));
  }

  /** What the log has about a person. */
  async records(of: TenantSubject, signal: AbortSignal, upTo?: Position): Promise<LogRecords> {
    const { journal, system } = this.#ports;
    return readLogRecords(journal, of, upTo ?? (await journal.log.head()), { signal, scheduler: system.scheduler });
  }

  async #documents(of: TenantSubject, signal: AbortSignal): Promise<LogDocuments> {
    const { journal, system } = this.#ports;
    return readLogDocuments(journal, of, await journal.log.head(), { signal, scheduler: system.scheduler });
  }

  /** From here on it cannot be stopped. @throws Conflict while a scope with a document about the person is held */
  async request(of: TenantSubject, signal: AbortSignal, by: By): Promise<void> {
    for (const scope of scopesIn(await this.#documents(of, signal))) await this.#refuseHeld(of, scope);
    await this.#record(of, { type: 'RequestErasure' }, by);
  }

  async #refuseHeld({ tenant }: TenantSubject, scope: VectorScope): Promise<void> {
    const { state } = await this.#ports.journal.load(scopeDecider, scopeStream({ tenant, scope }));
    if (state.hold) throw new Conflict('a scope with a document about this person is held, and must not be erased: release it first');
  }

  /** Requests the erasure of persons whose key is destroyed without one: a backup of before their erasure was restored, without the key. */
  async adopt(): Promise<void> {
    for await (const of of this.#ports.keys.subjects.destroyed())
      if ((await this.load(of)).state.state === 'none') await this.#record(of, { type: 'RequestErasure' });
  }

  /** Forgets what was kept for the scan of files. */
  forgetSamples(of: TenantSubject): void {
    this.#scans.forget(of);
  }

  /** Takes all steps that can be taken now. Whether it is complete. */
  async run(of: TenantSubject, signal: AbortSignal): Promise<boolean> {
    if ((await this.load(of)).state.state === 'requested') await this.makeUnreadable(of, signal);
    return (await this.load(of)).state.state !== 'erased' || this.#removeAndProve(of, signal);
  }

  /**
   * Forgets who they are, so that new documents about them get a new key, deletes their documents, and destroys their key. In this order:
   * what is built from the log meanwhile contains either the text, or the deletion. `id`: the person, if the caller knows.
   */
  async makeUnreadable(of: TenantSubject, signal: AbortSignal, id?: SubjectId): Promise<void> {
    const { subjects } = this.#ports.keys;
    await subjects.forget(of, id);
    const found = await this.#documents(of, signal);
    await this.#delete(of, found, signal);
    await this.#scans.prepare(of);
    await subjects.destroy(of);
    await this.#record(of, { type: 'RecordErased', scopes: scopesIn(found), documents: found.documents.size });
  }

  async #delete({ tenant, subject }: TenantSubject, { documents }: LogDocuments, signal: AbortSignal): Promise<void> {
    const { journal, system } = this.#ports;
    const waiting = documents.entries();
    const worker = async (): Promise<void> => {
      for (const [documentId, scope] of waiting) {
        signal.throwIfAborted();
        const command = { type: 'Delete' as const, documentId, now: timestamp(system.clock) };
        const metadata = { tenant, scope, subject, ...ACTOR };
        await journal.execute(document, documentStream(tenant, documentId), command, metadata);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  }

  /** Returns false while it is too early. */
  async #removeAndProve(of: TenantSubject, signal: AbortSignal): Promise<boolean> {
    const { journal, system, purgeMinutes } = this.#ports;
    const events = await this.#receipts.eventsOf(subjectStream(of), ['SubjectErasureRequested', 'SubjectErased']);
    if (events === undefined) return true;
    const { erased } = events;
    const isHere = this.#ports.purgeReadModels !== undefined;
    // Other processes use a key that they know for a while, and purge what they have on their own.
    if (!isHere && system.clock.now() < Date.parse(erased.recordedAt) + purgeMinutes * 60_000) return false;
    const all = await this.#documents(of, signal);
    // Also what such a process added meanwhile.
    await this.#delete(of, all, signal);
    // They contain words and titles under the keys of the scopes.
    await this.#ports.snapshots?.deleteBefore(erased.position);
    const removed = await purgeDerived(this.#ports, {
      ...{ tenant: of.tenant, at: await journal.log.head(), uploads: all.uploads, signal },
      isJobOf: ({ documentId }) => documentId !== undefined && all.documents.has(documentId),
      copies: {
        state: 'removed',
        detail: 'snapshots were deleted; what the others have of the documents is sealed under the destroyed key',
      },
    });
    const residueScan = await this.#scans.scan(of, signal);
    const found = await this.records(of, signal, erased.position);
    const about = { erasure: of.subject, ...of, scopes: scopesIn(found), removed, residueScan, notCovered: NOT_COVERED };
    await this.#record(of, { type: 'CompleteErasure', receipt: await this.#receipts.write(events, found, about, signal) });
    return true;
  }

  async #record(of: TenantSubject, action: Action, by: By = ACTOR): Promise<void> {
    const { journal, system } = this.#ports;
    const command = { ...action, subject: of.subject, now: timestamp(system.clock) } as SubjectErasureCommand;
    await journal.execute(decider, subjectStream(of), command, { tenant: of.tenant, ...by });
  }
}

const scopesIn = ({ documents }: LogDocuments): readonly VectorScope[] => [...new Set(documents.values())].sort();

const NOT_COVERED = [
  'documents about the person that were added without naming them as the subject, and questions and golden queries that quote them',
];
