import type { Journal, Loaded } from '@palimpsest/contracts';
import type { ErasureReceipt } from '@palimpsest/contracts/http';
import { eraseScope, getErasure, getErasureReceipt, holdScope, releaseScope } from '@palimpsest/contracts/routes/erasure';
import type { Ids } from '@palimpsest/foundation';
import { permittedScope, type Access, type PermittedScope } from '@palimpsest/knowledge/access';
import { scope as decider, scopeStream, type Scope } from '@palimpsest/knowledge/deciders';
import type { ErasureCommand } from '@palimpsest/knowledge/erasure';
import { InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { ReadModels } from '@palimpsest/knowledge/read-models';
import type { Position, VectorScope } from '@palimpsest/knowledge/values';
import type { EraseScope as EraseSteps } from './erase-scope.ts';

/** How long a command waits for the read models of this process. The event is on the log in any case. */
const READ_MODELS_MS = 10_000;

type Named = Readonly<{ scope: VectorScope }>;
const named = { scopes: ({ scope }: Named) => [scope] };
export type ErasureStatus = Readonly<{ scope: VectorScope; state: Scope; position: Position }>;

export class EraseScope extends command<Named & Readonly<{ confirm: string }>, ErasureStatus>(eraseScope, named) {}
export class HoldScope extends command<Named & Readonly<{ reason: string }>, ErasureStatus>(holdScope, named) {}
export class ReleaseScope extends command<Named, ErasureStatus>(releaseScope, named) {}
export class GetErasure extends query<Named, ErasureStatus>(getErasure, { ...named, ...NO_ROWS }) {}
export class GetErasureReceipt extends query<Named, ErasureReceipt>(getErasureReceipt, { ...named, ...NO_ROWS }) {}

type Ports = Readonly<{
  journal: Journal;
  steps: Pick<EraseSteps, 'makeUnreadable' | 'load'>;
  readModels: Pick<ReadModels, 'reached'>;
  ids: Ids;
  now: () => string;
}>;

type Action<C = ErasureCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;

/** Erases scopes, and holds them. */
export class ManageErasures implements UseCase {
  readonly handlers = [
    on(EraseScope, ({ access, input, correlationId }) => this.#erase(access, input, correlationId)),
    on(HoldScope, ({ access, input: { scope, reason }, correlationId }) =>
      this.#act(access, scope, correlationId, { type: 'Hold', reason }),
    ),
    on(ReleaseScope, ({ access, input: { scope }, correlationId }) => this.#act(access, scope, correlationId, { type: 'Release' })),
    on(GetErasure, async ({ access, input: { scope } }) => statusOf(scope, await this.#opened(permittedScope(access, scope)))),
    on(GetErasureReceipt, ({ access, input: { scope } }) => this.#receipt(permittedScope(access, scope))),
  ];
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The key is destroyed when it returns; a worker does the rest. */
  async #erase(access: Access, { scope, confirm }: Named & Readonly<{ confirm: string }>, correlationId: string): Promise<ErasureStatus> {
    const place = permittedScope(access, scope);
    await this.#opened(place);
    if (confirm !== scope) throw new InvalidValue('confirm', `the name of the scope, "${scope}", since it cannot be undone`, confirm);
    const { steps, readModels, ids } = this.#ports;
    const { state } = await this.#act(access, scope, correlationId, { type: 'RequestErasure', erasure: ids.next() });
    if (state.erasure?.state === 'requested') await steps.makeUnreadable(place);
    const known = await steps.load(place);
    // A search that is sent afterwards finds nothing.
    await readModels.reached(known.position, READ_MODELS_MS);
    return statusOf(scope, known);
  }

  async #receipt(scope: PermittedScope): Promise<ErasureReceipt> {
    const { state } = await this.#opened(scope);
    const receipt = state.erasure?.receipt;
    if (receipt === undefined) throw new NotFound('receipt of an erasure of scope', scope.scope);
    return JSON.parse(receipt) as ErasureReceipt;
  }

  async #act(access: Access, name: VectorScope, correlationId: string, action: Action): Promise<ErasureStatus> {
    const { journal, now } = this.#ports;
    const place = permittedScope(access, name);
    const order = { ...action, scope: name, now: now() } as ErasureCommand;
    return statusOf(name, await journal.execute(decider, scopeStream(place), order, { ...place, actor: access.actor, correlationId }));
  }

  /** @throws NotFound */
  async #opened(scope: PermittedScope): Promise<Loaded<Scope>> {
    const known = await this.#ports.steps.load(scope);
    if (!known.state.opened) throw new NotFound('scope', scope.scope);
    return known;
  }
}

const statusOf = (scope: VectorScope, { state, position }: Loaded<Scope>): ErasureStatus => ({ scope, state, position });
