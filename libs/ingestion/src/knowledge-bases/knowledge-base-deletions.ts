import type { Journal } from '@palimpsest/contracts';
import { ahead, eachInTurn, pause, type System } from '@palimpsest/foundation';
import { document, documentStream, knowledgeBase, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import type { LeaseMembership, PartitionLeases } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import { laterOf, type DocumentId, type KnowledgeBaseId, type Position, type TenantId } from '@palimpsest/knowledge/values';
import { DELETED_TOGETHER } from '../submission/delete-document.ts';

const LOOK_EVERY_MS = 500;
const RETRY_MS = 5_000;
const PAGE = 500;
/** How long it waits until the read models show what it deleted. It goes on in any case. */
const CAUGHT_UP_MS = 60_000;

const ACTOR = { actor: 'knowledge-base-deletion', correlationId: 'knowledge-base-deletion' };

type Deleted = Readonly<{ tenant: TenantId; id: KnowledgeBaseId }>;

type Ports = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'deletingKnowledgeBases' | 'documentsIn'>;
  readModels: Pick<ReadModels, 'reached'>;
  leases: PartitionLeases;
  now: () => string;
  onFault: (error: unknown, about: string) => void;
  system: Pick<System, 'scheduler'>;
}>;

/**
 * Completes the deletions of knowledge bases that were requested, also after a kill: what is left to do is in the catalog. Of all
 * processes, one does it; if two do for a moment, the deciders make it one effect.
 */
export class KnowledgeBaseDeletions {
  readonly #ports: Ports;
  #membership: LeaseMembership | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async start(): Promise<void> {
    this.#membership = await this.#ports.leases.join('knowledge-base-deletions', 1, (_, signal) => this.#hold(signal));
  }

  async stop(): Promise<void> {
    await this.#membership?.leave();
  }

  async #hold(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const complete = await this.#all(signal);
      await pause(complete ? LOOK_EVERY_MS : RETRY_MS, signal, this.#ports.system.scheduler);
    }
  }

  /** Whether none of them failed. */
  async #all(signal: AbortSignal): Promise<boolean> {
    try {
      const all = await this.#ports.catalog.deletingKnowledgeBases();
      await eachInTurn(
        all,
        (of) => this.run(of, signal),
        () => signal.aborted,
      );
      return true;
    } catch (error) {
      if (!signal.aborted) this.#ports.onFault(error, 'deleting a knowledge base');
      return false;
    }
  }

  /** Deletes its documents, and then the knowledge base. */
  async run(of: Deleted, signal: AbortSignal): Promise<void> {
    const { journal, now } = this.#ports;
    const stream = knowledgeBaseStream(of.tenant, of.id);
    const { state, position } = await journal.load(knowledgeBase, stream);
    // The catalog may be behind the log.
    if (state.status !== 'deleting') return;
    const metadata = { tenant: of.tenant, scope: state.scope, ...ACTOR };
    // A document that was accepted before the request is in the catalog when that has reached the request.
    for (let reached: Position | undefined = position; reached !== undefined;) {
      await this.#caughtUp(reached, signal);
      reached = await this.#deleteDocuments(of, metadata, signal);
    }
    await journal.execute(knowledgeBase, stream, { type: 'CompleteDeletion', id: of.id, now: now() }, metadata);
  }

  /** The position of the last deletion; undefined if all were deleted before. */
  async #deleteDocuments({ tenant, id }: Deleted, metadata: EventMetadata, signal: AbortSignal): Promise<Position | undefined> {
    const { journal, catalog, now } = this.#ports;
    let last: Position | undefined;
    for (let ids = await catalog.documentsIn(tenant, id, PAGE); ids.length > 0;) {
      const remove = async (documentId: DocumentId) => {
        signal.throwIfAborted();
        const command = { type: 'Delete' as const, documentId, now: now() };
        return journal.execute(document, documentStream(tenant, documentId), command, metadata);
      };
      for await (const { events, position } of ahead(ids, DELETED_TOGETHER, remove))
        if (events.length > 0) last = laterOf(last ?? position, position);
      ids = await catalog.documentsIn(tenant, id, PAGE, ids.at(-1));
    }
    return last;
  }

  async #caughtUp(position: Position, signal: AbortSignal): Promise<void> {
    if (!(await this.#ports.readModels.reached(position, CAUGHT_UP_MS, signal)))
      throw new Unavailable(`the read models have not reached position ${position} of a deletion yet`);
  }
}
