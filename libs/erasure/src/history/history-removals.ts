import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { projection } from '@palimpsest/knowledge/events';
import { scopeKey, START, type Position, type TenantId, type TenantScope } from '@palimpsest/knowledge/values';
import type { HistoryOf } from './old-documents.ts';

type Parts = Readonly<{ journal: Journal; system: Pick<System, 'scheduler'>; onFault: (error: unknown, about: string) => void }>;

/** A knowledge base whose history is removed after some days. It may be deleted by now. */
export type Retention = Required<HistoryOf> & Readonly<{ days: number }>;

/** In-memory projection of the removals in progress, and of how long knowledge bases keep their history. */
export class HistoryRemovals {
  readonly #projection: InMemoryProjection;
  readonly #parts: Parts;
  readonly #running = new Map<string, TenantScope>();
  readonly #bases = new Map<string, Required<HistoryOf> & Readonly<{ days?: number }>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('history-removals', {
        KnowledgeBaseCreated: ({ event: { data }, metadata: { tenant } }) =>
          void this.#bases.set(`${tenant}/${data.id}`, {
            ...{ tenant, scope: data.scope, knowledgeBase: data.id },
            ...(data.historyDays === undefined ? {} : { days: data.historyDays }),
          }),
        KnowledgeBaseConfigured: ({ event: { data }, metadata: { tenant } }) => this.#configured(tenant, data.id, data.historyDays),
        HistoryRemovalStarted: ({ event: { data }, metadata: { tenant } }) => {
          const of = { tenant, scope: data.scope };
          this.#running.set(scopeKey(of), of);
        },
        HistoryRemovalCompleted: ({ event: { data }, metadata: { tenant } }) =>
          void this.#running.delete(scopeKey({ tenant, scope: data.scope })),
      }),
      parts.system.scheduler,
    );
  }

  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following the removals of history'));
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  async reached(position: Position, timeoutMs?: number): Promise<void> {
    await this.#projection.reached(position, timeoutMs);
  }

  running(): readonly TenantScope[] {
    return [...this.#running.values()];
  }

  retentions(): readonly Retention[] {
    return [...this.#bases.values()].flatMap(({ days, ...of }) => (days === undefined ? [] : [{ ...of, days }]));
  }

  #configured(tenant: TenantId, id: string, days: number | undefined): void {
    const known = this.#bases.get(`${tenant}/${id}`);
    if (known === undefined) return;
    const { days: _, ...of } = known;
    this.#bases.set(`${tenant}/${id}`, { ...of, ...(days === undefined ? {} : { days }) });
  }
}
