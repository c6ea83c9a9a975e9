import { removeDocumentHistory, type Journal, type Loaded } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import { scope as scopeDecider, scopeStream, type Scope } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { historyRemoval, historyStream, removedUpTo, type HistoryRemoval } from '@palimpsest/knowledge/history';
import { blobKey, ScopeKeyDestroyed, type BlobStore } from '@palimpsest/knowledge/ports';
import { position, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { DerivedStores } from '../purge-derived.ts';
import { oldDocuments, type HistoryOf } from './old-documents.ts';

const ACTOR = { actor: 'history', correlationId: 'history' };
const CAUGHT_UP_MS = 60_000;

/** Documents after which it looks whether the scope was held. */
const LOOK_EVERY = 50;

type Running = NonNullable<HistoryRemoval['running']>;

export type HistoryPorts = Readonly<{ journal: Journal; blobs: BlobStore; system: System }> &
  Pick<DerivedStores, 'readModels' | 'pastViews' | 'snapshots' | 'embeddings'>;

/** Removes history that was requested, step by step: each can be repeated, and a kill in between changes nothing. */
export class RemoveHistory {
  readonly #ports: HistoryPorts;

  constructor(ports: HistoryPorts) {
    this.#ports = ports;
  }

  load(of: TenantScope): Promise<Loaded<HistoryRemoval>> {
    return this.#ports.journal.load(historyRemoval, historyStream(of));
  }

  /** Whether there is something to remove now: not while a generation is being built. */
  async isSome(of: HistoryOf, upTo: Position, signal: AbortSignal): Promise<boolean> {
    if (isBuilding(await this.#scope(of))) return false;
    const from = removedUpTo((await this.load(of)).state, of.knowledgeBase);
    for await (const _ of oldDocuments(this.#ports.journal, of, { from, upTo, signal })) return true;
    return false;
  }

  /**
   * From here on, earlier moments of the scope cannot be searched any more.
   * @throws NotFound; ScopeKeyDestroyed; Conflict while another one runs, or the scope is held
   */
  async start(
    { knowledgeBase, ...of }: HistoryOf,
    { upTo, keepDays, by }: Readonly<{ upTo: Position; keepDays: number; by?: Partial<typeof ACTOR> }>,
  ) {
    const { journal, system } = this.#ports;
    const { opened, hold, erasure } = await this.#scope(of);
    if (!opened) throw new NotFound('scope', of.scope);
    if (erasure) throw new ScopeKeyDestroyed(`scope "${of.scope}" was erased`);
    if (hold) throw new Conflict(`scope "${of.scope}" is held, and keeps its history: release it first`);
    const base = knowledgeBase === undefined ? {} : { knowledgeBase };
    const command = { type: 'Start' as const, scope: of.scope, ...base, upTo, keepDays, now: timestamp(system.clock) };
    return journal.execute(historyRemoval, historyStream(of), command, { ...of, ...ACTOR, ...by });
  }

  /** Takes all steps that remain. Returns false if it must wait: the scope is held, or a generation is being built from its documents. */
  async run(of: TenantScope, signal: AbortSignal): Promise<boolean> {
    const { readModels } = this.#ports;
    const { state } = await this.load(of);
    if (state.running === undefined) return true;
    const scope = await this.#scope(of);
    // Nothing of it can be read any more.
    if (scope.erasure) return this.#complete(of, state.running, 0, signal);
    if (isWaiting(scope)) return false;
    const upTo = position(state.running.upTo);
    if (!(await readModels.reached(upTo, CAUGHT_UP_MS, signal)))
      throw new Unavailable(`the read models have not reached position ${upTo} yet, up to which history is removed`);
    const left = await this.#removeAll(of, state, upTo, signal);
    if (left === undefined) return false;
    await this.#purge(of, upTo);
    return this.#complete(of, state.running, left, signal);
  }

  /** How many documents were left. Undefined if the scope was held, erased, or begins to be rebuilt in the meantime: the rest waits. */
  async #removeAll(of: TenantScope, state: HistoryRemoval, upTo: Position, signal: AbortSignal): Promise<number | undefined> {
    const { journal, blobs, system } = this.#ports;
    const knowledgeBase = state.running?.knowledgeBase;
    const removeUploads = async (uploads: readonly string[]): Promise<void> => {
      for (const upload of uploads) await blobs.delete(blobKey(upload));
    };
    const ports = { journal, removeUploads, now: () => timestamp(system.clock) };
    const range = { from: removedUpTo(state, knowledgeBase), upTo, signal };
    let [left, seen] = [0, 0];
    for await (const id of oldDocuments(journal, { ...of, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) }, range)) {
      if (++seen % LOOK_EVERY === 0 && isWaiting(await this.#scope(of))) return undefined;
      if ((await removeDocumentHistory(ports, { ...of, id }, upTo)) === 'left') left += 1;
    }
    return left;
  }

  async #complete(of: TenantScope, { knowledgeBase, startedAt }: Running, left: number, signal: AbortSignal): Promise<true> {
    const { journal, system } = this.#ports;
    const found = { ...(await this.#removedSince(of, startedAt, signal)), left };
    const base = knowledgeBase === undefined ? {} : { knowledgeBase };
    const command = { type: 'Complete' as const, scope: of.scope, ...base, found, now: timestamp(system.clock) };
    await journal.execute(historyRemoval, historyStream(of), command, { ...of, ...ACTOR });
    return true;
  }

  async #scope(of: TenantScope): Promise<Scope> {
    return (await this.#ports.journal.load(scopeDecider, scopeStream(of))).state;
  }

  /** What was derived from it. Live read models do not have it. */
  async #purge({ tenant }: TenantScope, upTo: Position): Promise<void> {
    const { pastViews, embeddings, snapshots } = this.#ports;
    await pastViews?.forget(tenant);
    await embeddings.forget(tenant);
    await snapshots?.deleteBefore(upTo);
  }

  /** By all processes that worked on it: another one may have been killed. */
  async #removedSince(of: TenantScope, startedAt: string, signal: AbortSignal) {
    const documents = new Map<string, Readonly<{ records: number; uploads: number }>>();
    let began: Position | undefined;
    for await (const { event, position: at } of this.#ports.journal.readStream(historyStream(of), { direction: 'backwards' }))
      if (event.type === 'HistoryRemovalStarted' && event.data.startedAt === startedAt) {
        began = at;
        break;
      }
    const facts = this.#ports.journal.readAll({ ...(began === undefined ? {} : { from: began }), types: ['DocumentHistoryRemoved'] });
    for await (const { event, metadata } of facts) {
      signal.throwIfAborted();
      if (event.type !== 'DocumentHistoryRemoved' || metadata.tenant !== of.tenant || metadata.scope !== of.scope) continue;
      documents.set(event.data.documentId, event.data);
    }
    const all = [...documents.values()];
    return {
      documents: all.length,
      records: all.reduce((sum, { records }) => sum + records, 0),
      uploads: all.reduce((sum, { uploads }) => sum + uploads, 0),
    };
  }
}

const isBuilding = ({ generations }: Scope): boolean => generations.some(({ status }) => status === 'building');
const isWaiting = (scope: Scope): boolean => scope.hold !== undefined || scope.erasure !== undefined || isBuilding(scope);
