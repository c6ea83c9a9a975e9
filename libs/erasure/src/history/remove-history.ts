import { removeDocumentHistory, type Journal, type Loaded } from '@palimpsest/contracts';
import { timestamp, type System } from '@palimpsest/foundation';
import { scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { historyRemoval, historyStream, removedUpTo, type HistoryRemoval } from '@palimpsest/knowledge/history';
import { blobKey, type BlobStore } from '@palimpsest/knowledge/ports';
import { position, type Position, type TenantScope } from '@palimpsest/knowledge/values';
import type { DerivedStores } from '../purge-derived.ts';
import { oldDocuments, type HistoryOf } from './old-documents.ts';

const ACTOR = { actor: 'history', correlationId: 'history' };
const CAUGHT_UP_MS = 60_000;

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

  /** Whether there is something to remove. */
  async isSome(of: HistoryOf, upTo: Position, signal: AbortSignal): Promise<boolean> {
    const from = removedUpTo((await this.load(of)).state, of.knowledgeBase);
    for await (const _ of oldDocuments(this.#ports.journal, of, { from, upTo, signal })) return true;
    return false;
  }

  /** From here on, earlier moments of the scope cannot be searched any more. @throws Conflict while another one runs */
  async start(
    { knowledgeBase, ...of }: HistoryOf,
    { upTo, keepDays, by }: Readonly<{ upTo: Position; keepDays: number; by?: Partial<typeof ACTOR> }>,
  ) {
    const { journal, system } = this.#ports;
    const base = knowledgeBase === undefined ? {} : { knowledgeBase };
    const command = { type: 'Start' as const, scope: of.scope, ...base, upTo, keepDays, now: timestamp(system.clock) };
    return journal.execute(historyRemoval, historyStream(of), command, { ...of, ...ACTOR, ...by });
  }

  /** Takes all steps that remain. Returns false if it must wait: the scope is held, or a generation is being built from its documents. */
  async run(of: TenantScope, signal: AbortSignal): Promise<boolean> {
    const { journal, readModels, blobs, system } = this.#ports;
    const { state } = await this.load(of);
    if (state.running === undefined) return true;
    const { hold, generations } = (await journal.load(scopeDecider, scopeStream(of))).state;
    if (hold || generations.some(({ status }) => status === 'building')) return false;
    const { knowledgeBase, startedAt } = state.running;
    const upTo = position(state.running.upTo);
    if (!(await readModels.reached(upTo, CAUGHT_UP_MS, signal)))
      throw new Unavailable(`the read models have not reached position ${upTo} yet, up to which history is removed`);
    const now = (): string => timestamp(system.clock);
    let left = 0;
    const base = knowledgeBase === undefined ? {} : { knowledgeBase };
    const range = { from: removedUpTo(state, knowledgeBase), upTo, signal };
    const removeUploads = async (uploads: readonly string[]): Promise<void> => {
      for (const upload of uploads) await blobs.delete(blobKey(upload));
    };
    for await (const id of oldDocuments(journal, { ...of, ...base }, range))
      if ((await removeDocumentHistory({ journal, now, removeUploads }, { ...of, id }, upTo)) === 'left') left += 1;
    await this.#purge(of, upTo);
    const found = { ...(await this.#removedSince(of, startedAt, signal)), left };
    const command = { type: 'Complete' as const, scope: of.scope, ...base, found, now: now() };
    await journal.execute(historyRemoval, historyStream(of), command, { ...of, ...ACTOR });
    return true;
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
