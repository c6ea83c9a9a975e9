import { positionAt, type Loaded } from '@palimpsest/contracts';
import { getHistory, removeHistory } from '@palimpsest/contracts/routes/history';
import type { System } from '@palimpsest/foundation';
import { permittedScope, type Access } from '@palimpsest/knowledge/access';
import {
  isGone,
  knowledgeBase as knowledgeBaseDecider,
  knowledgeBaseStream,
  scope as scopeDecider,
  scopeStream,
} from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { HistoryRemoval } from '@palimpsest/knowledge/history';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { KnowledgeBaseId, TenantScope, VectorScope } from '@palimpsest/knowledge/values';
import type { Journal } from '@palimpsest/contracts';
import type { RemoveHistory as Steps } from './remove-history.ts';

type Named = Readonly<{ scope: VectorScope }>;
type Order = Named & Readonly<{ keepDays: number; knowledgeBase?: KnowledgeBaseId }>;
const named = { scopes: ({ scope }: Named) => [scope] };
export type HistoryState = Named & Pick<Loaded<HistoryRemoval>, 'state' | 'position'>;

export class RemoveHistory extends command<Order, HistoryState>(removeHistory, named) {}
export class GetHistory extends query<Named, HistoryState>(getHistory, { ...named, ...NO_ROWS }) {}

type Ports = Readonly<{ journal: Journal; steps: Pick<Steps, 'start' | 'load'>; system: Pick<System, 'clock'> }>;

const DAY_MS = 86_400_000;

/** Starts removals of history, and shows how far they are. A worker does them. */
export class ManageHistory implements UseCase {
  readonly handlers = [
    on(RemoveHistory, ({ access, input, correlationId }) => this.#remove(access, input, correlationId)),
    on(GetHistory, async ({ access, input: { scope } }) => {
      const place = permittedScope(access, scope);
      await this.#opened(place);
      return { scope, ...(await this.#ports.steps.load(place)) };
    }),
  ];
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  async #remove(access: Access, { scope, keepDays, knowledgeBase }: Order, correlationId: string): Promise<HistoryState> {
    const { journal, steps, system } = this.#ports;
    const place = permittedScope(access, scope);
    if (knowledgeBase !== undefined) await this.#isOf(place, knowledgeBase);
    const time = new Date(system.clock.now() - keepDays * DAY_MS).toISOString();
    // Everything until now: the time of the last event may be that of another clock.
    const upTo = keepDays === 0 ? await journal.log.head() : await positionAt(journal.log, time);
    const of = { ...place, ...(knowledgeBase === undefined ? {} : { knowledgeBase }) };
    const { state, position } = await steps.start(of, { upTo, keepDays, by: { actor: access.actor, correlationId } });
    return { scope, state, position };
  }

  /** @throws NotFound */
  async #isOf({ tenant, scope }: TenantScope, id: KnowledgeBaseId): Promise<void> {
    const { state } = await this.#ports.journal.load(knowledgeBaseDecider, knowledgeBaseStream(tenant, id));
    if (isGone(state) || state.scope !== scope) throw new NotFound('knowledge base', id);
  }

  /** @throws NotFound */
  async #opened(place: TenantScope): Promise<void> {
    const { state } = await this.#ports.journal.load(scopeDecider, scopeStream(place));
    if (!state.opened) throw new NotFound('scope', place.scope);
  }
}
