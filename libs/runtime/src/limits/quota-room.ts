import { QuotaExceeded } from '@palimpsest/knowledge';
import type { Catalog, DocumentId, EventLog, HeldLimits, Hold, KnowledgeBaseId, Position, QuotaName, ReadModels, TenantId, TenantUse } from '@palimpsest/knowledge';

export type QuotaSources = Readonly<{
  catalog: Pick<Catalog, 'use' | 'documentSize' | 'position'>;
  readModels: Pick<ReadModels, 'reached'>;
  log: Pick<EventLog, 'head'>;
}>;

/** For a document, so many bytes or chunks that it is to have; or for a knowledge base. */
export type Wish = Readonly<{ document: DocumentId; bytes?: number; chunks?: number } | { knowledgeBase: KnowledgeBaseId }>;

type Stock = keyof TenantUse & QuotaName;
type Amounts = Readonly<Record<Stock, number>>;
/** Something that was let in; unknown of what is still on its way to the log. */
type Held = { readonly of: string; readonly amounts: Amounts; at: Position | undefined };

const STOCKS = ['documents', 'chunks', 'bytes', 'knowledgeBases'] as const satisfies readonly Stock[];
const NONE: Amounts = { documents: 0, chunks: 0, bytes: 0, knowledgeBases: 0 };
/** What asks again while it is let in already takes its room but once. */
const nameOf = (wish: Wish): string => ('knowledgeBase' in wish ? `knowledge base ${wish.knowledgeBase}` : `document ${wish.document}`);
const NOTHING_HELD: Hold = { taken: () => undefined, givenBack: () => undefined };
/** From this part of a limit on, the catalogue is first to see all that is on the log: what other processes let in, and what was deleted. */
const NEAR = 0.9;
const CATCH_UP_MS = 2_000;

/**
 * Room within what a tenant may have. Counted by the catalogue, so from the log; what was let in here is added until the
 * catalogue has seen it. Of one tenant, one is let in after the other, so that no burst slips through between two counts. Other
 * processes do the same for themselves: all together can exceed a quota by what each of the others lets in at that very moment.
 */
export class QuotaRoom {
  readonly #sources: QuotaSources;
  readonly #held = new Map<TenantId, Set<Held>>();
  readonly #turns = new Map<TenantId, Promise<unknown>>();

  constructor(sources: QuotaSources) {
    this.#sources = sources;
  }

  /** @throws QuotaExceeded */
  async take(tenant: TenantId, { limits: { quotas = {} }, tier }: HeldLimits, wish: Wish): Promise<Hold> {
    if (STOCKS.every((name) => quotas[name] === undefined)) return NOTHING_HELD;
    return this.#inTurn(tenant, async () => {
      let { amounts, used } = await this.#count(tenant, wish);
      const isNear = STOCKS.some((name) => amounts[name] > 0 && used[name] + amounts[name] > (quotas[name] ?? Infinity) * NEAR);
      if (isNear && (await this.#caughtUp())) ({ amounts, used } = await this.#count(tenant, wish));
      for (const limit of STOCKS) {
        const allowed = quotas[limit] ?? Infinity;
        if (amounts[limit] > 0 && used[limit] + amounts[limit] > allowed)
          throw new QuotaExceeded({ limit, allowed, used: used[limit], ...(tier === undefined ? {} : { tier }) }, `${amounts[limit]} more are asked for`);
      }
      return this.#hold(tenant, { of: nameOf(wish), amounts, at: undefined });
    });
  }

  /** What is held for what the catalogue has not seen yet; for whoever tells how much is used. */
  async used(tenant: TenantId): Promise<TenantUse> {
    return this.#inTurn(tenant, async () => (await this.#count(tenant, undefined)).used);
  }

  async #count(tenant: TenantId, wish: Wish | undefined): Promise<Readonly<{ amounts: Amounts; used: Amounts }>> {
    const { catalog } = this.#sources;
    // First: what the catalogue had seen before it is counted is in the count.
    const seen = await catalog.position();
    const use = await catalog.use(tenant);
    const held = this.#held.get(tenant) ?? new Set<Held>();
    for (const one of held) if (one.at !== undefined && one.at <= seen) held.delete(one);
    if (held.size === 0) this.#held.delete(tenant);
    const used = Object.fromEntries(STOCKS.map((name) => [name, [...held].reduce((sum, { amounts }) => sum + amounts[name], use[name])])) as Amounts;
    return { used, amounts: wish === undefined ? NONE : await this.#amounts(tenant, wish, held) };
  }

  async #amounts(tenant: TenantId, wish: Wish, held: ReadonlySet<Held>): Promise<Amounts> {
    const own = [...held].filter(({ of }) => of === nameOf(wish));
    if ('knowledgeBase' in wish) return { ...NONE, knowledgeBases: own.length > 0 ? 0 : 1 };
    const { document, bytes, chunks } = wish;
    const size = await this.#sources.catalog.documentSize(tenant, document);
    const isNew = size === undefined && bytes !== undefined && own.length === 0;
    const beyond = (wanted: number, name: 'bytes' | 'chunks'): number => Math.max(0, wanted - (size?.[name] ?? 0) - own.reduce((sum, { amounts }) => sum + amounts[name], 0));
    return {
      documents: isNew ? 1 : 0,
      bytes: beyond(bytes ?? 0, 'bytes'),
      // How many it comes to is not known while it is handed in: at least one.
      chunks: beyond(chunks ?? (isNew ? 1 : 0), 'chunks'),
      knowledgeBases: 0,
    };
  }

  #hold(tenant: TenantId, one: Held): Hold {
    const held = this.#held.get(tenant) ?? new Set();
    held.add(one);
    this.#held.set(tenant, held);
    return { taken: (at) => void (one.at = at), givenBack: () => void held.delete(one) };
  }

  async #caughtUp(): Promise<boolean> {
    const { log, readModels } = this.#sources;
    return readModels.reached(await log.head(), CATCH_UP_MS);
  }

  #inTurn<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(tenant) ?? Promise.resolve()).then(work);
    const settled: Promise<unknown> = turn.catch(() => undefined).then(() => {
      if (this.#turns.get(tenant) === settled) this.#turns.delete(tenant);
    });
    this.#turns.set(tenant, settled);
    return turn;
  }
}
