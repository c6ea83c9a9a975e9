import { KeyedMutex } from '@palimpsest/foundation';
import { QuotaExceeded } from '@palimpsest/knowledge/errors';
import type { EffectiveLimits, Reservation, QuotaName, TenantUse } from '@palimpsest/knowledge/limits';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, Position, TenantId } from '@palimpsest/knowledge/values';
import { settleOnce } from './settle-once.ts';

export type QuotaSources = Readonly<{
  catalog: Pick<Catalog, 'use' | 'documentSize' | 'position'>;
  readModels: Pick<ReadModels, 'reached'>;
  log: Pick<EventLog, 'head'>;
}>;

/** A document with its new number of bytes or chunks, or a knowledge base. */
export type ReservationRequest = Readonly<{ document: DocumentId; bytes?: number; chunks?: number } | { knowledgeBase: KnowledgeBaseId }>;

type Resource = keyof TenantUse & QuotaName;
type Amounts = Readonly<Record<Resource, number>>;
/** An open reservation. `at` is undefined until the resource is on the log. */
type Reserved = { readonly of: string; readonly amounts: Amounts; at: Position | undefined };

const RESOURCES = ['documents', 'chunks', 'bytes', 'knowledgeBases'] as const satisfies readonly Resource[];
const NONE: Amounts = { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 };
/** Identifies the resource, so that repeated requests for the same one are counted once. */
const nameOf = (request: ReservationRequest): string =>
  'knowledgeBase' in request ? `knowledge base ${request.knowledgeBase}` : `document ${request.document}`;
const NO_RESERVATION: Reservation = { commit: () => undefined, release: () => undefined };
/** Above this share of a limit, the ledger waits for the catalog to catch up with deletions and with writes of other processes. */
const CATCH_UP_FROM = 0.9;
const CATCH_UP_MS = 2_000;

/**
 * Usage of quotas: the counts of the catalog plus the open reservations of this process, until the catalog includes them. Reservations of
 * one tenant are made sequentially, so that a burst cannot exceed the quota. Each process has its own ledger: together they can exceed a
 * quota by what the other processes accept at the same moment.
 */
export class QuotaLedger {
  readonly #sources: QuotaSources;
  readonly #reserved = new Map<TenantId, Set<Reserved>>();
  readonly #mutexes = new KeyedMutex();

  constructor(sources: QuotaSources) {
    this.#sources = sources;
  }

  /** @throws QuotaExceeded */
  async reserve(tenant: TenantId, { limits: { quotas = {} }, tier }: EffectiveLimits, request: ReservationRequest): Promise<Reservation> {
    if (RESOURCES.every((name) => quotas[name] === undefined)) return NO_RESERVATION;
    return this.#mutexes.run(tenant, async () => {
      let { amounts, used } = await this.#count(tenant, request);
      const isNear = RESOURCES.some((name) => amounts[name] > 0 && used[name] + amounts[name] > (quotas[name] ?? Infinity) * CATCH_UP_FROM);
      if (isNear && (await this.#caughtUp())) ({ amounts, used } = await this.#count(tenant, request));
      for (const limit of RESOURCES) {
        const allowed = quotas[limit] ?? Infinity;
        if (amounts[limit] > 0 && used[limit] + amounts[limit] > allowed)
          throw new QuotaExceeded(
            { limit, allowed, used: used[limit], ...(tier === undefined ? {} : { tier }) },
            `${amounts[limit]} more requested`,
          );
      }
      return this.#hold(tenant, { of: nameOf(request), amounts, at: undefined });
    });
  }

  /** Current usage, including open reservations. */
  async used(tenant: TenantId): Promise<TenantUse> {
    return this.#mutexes.run(tenant, async () => (await this.#count(tenant, undefined)).used);
  }

  async #count(tenant: TenantId, request: ReservationRequest | undefined): Promise<Readonly<{ amounts: Amounts; used: Amounts }>> {
    const { catalog } = this.#sources;
    // Read before the counts: everything up to this position is included in them.
    const seen = await catalog.position();
    const use = await catalog.use(tenant);
    const held = this.#reserved.get(tenant) ?? new Set<Reserved>();
    for (const one of held) if (one.at !== undefined && one.at <= seen) held.delete(one);
    if (held.size === 0) this.#reserved.delete(tenant);
    const used = Object.fromEntries(
      RESOURCES.map((name) => [name, [...held].reduce((sum, { amounts }) => sum + amounts[name], use[name])]),
    ) as Amounts;
    return { used, amounts: request === undefined ? NONE : await this.#amounts(tenant, request, held) };
  }

  async #amounts(tenant: TenantId, request: ReservationRequest, held: ReadonlySet<Reserved>): Promise<Amounts> {
    const own = [...held].filter(({ of }) => of === nameOf(request));
    if ('knowledgeBase' in request) return { ...NONE, knowledgeBases: own.length > 0 ? 0 : 1 };
    const { document, bytes, chunks } = request;
    const size = await this.#sources.catalog.documentSize(tenant, document);
    const isNew = size === undefined && bytes !== undefined && own.length === 0;
    const beyond = (wanted: number, name: 'bytes' | 'chunks'): number =>
      Math.max(0, wanted - (size?.[name] ?? 0) - own.reduce((sum, { amounts }) => sum + amounts[name], 0));
    return {
      documents: isNew ? 1 : 0,
      bytes: beyond(bytes ?? 0, 'bytes'),
      // The number of chunks is unknown on submission; it is at least one.
      chunks: beyond(chunks ?? (isNew ? 1 : 0), 'chunks'),
      knowledgeBases: 0,
    };
  }

  #hold(tenant: TenantId, one: Reserved): Reservation {
    const held = this.#reserved.get(tenant) ?? new Set();
    held.add(one);
    this.#reserved.set(tenant, held);
    return settleOnce<Position>(
      (at) => void (one.at = at),
      () => void held.delete(one),
    );
  }

  async #caughtUp(): Promise<boolean> {
    const { log, readModels } = this.#sources;
    return readModels.reached(await log.head(), CATCH_UP_MS);
  }
}
