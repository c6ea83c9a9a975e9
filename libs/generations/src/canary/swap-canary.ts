import { getCanary, startCanary, stopCanary } from '@palimpsest/contracts/routes/canary';
import { permittedScope } from '@palimpsest/knowledge/access';
import { DEFAULT_CANARY_THRESHOLDS, runningCanary } from '@palimpsest/knowledge/canary';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Journal, Loaded } from '@palimpsest/contracts';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { Canary, CanaryCommand, CanaryEvidence, CanaryThresholds } from '@palimpsest/knowledge/canary';
import type { Scope } from '@palimpsest/knowledge/deciders';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { TenantScope, VectorScope } from '@palimpsest/knowledge/values';
import { reasonOf, type SwapChanged } from '../swap-scope.ts';
import { statusOf, type SwapStatusPorts } from '../swap-status.ts';

export type SwapCanaryPorts = SwapStatusPorts &
  Readonly<{
    journal: Journal;
    keys: Pick<ScopeKeys, 'cipher'>;
    /** Both sides of a canary that runs, if this process knows them. */
    comparison: Readonly<{ of: (scope: TenantScope, canary: Canary) => CanaryEvidence | undefined }>;
    now: () => string;
  }>;

/** The latest canary; while it runs, with both sides. */
export type ShownCanary = Readonly<{ canary: Canary; comparison?: CanaryEvidence }>;

type Named = Readonly<{ scope: VectorScope }>;
type Started = Named & Readonly<{ share: number; thresholds?: Partial<CanaryThresholds>; force?: boolean; reason?: string }>;
type Action<C = CanaryCommand> = C extends unknown ? Omit<C, 'scope' | 'now'> : never;
const named = { scopes: ({ scope }: Named) => [scope] };

export class StartCanary extends command<Started, SwapChanged>(startCanary, named) {}
export class StopCanary extends command<Named, SwapChanged>(stopCanary, named) {}
export class GetCanary extends query<Named, ShownCanary>(getCanary, { ...named, ...NO_ROWS }) {}

/** Lets a share of the callers be served by a generation before its cut-over, and returns them. */
export class SwapCanary implements UseCase {
  readonly handlers = [
    on(StartCanary, ({ access, input, correlationId }) => this.#start(access, input, correlationId)),
    on(StopCanary, ({ access, input: { scope }, correlationId }) => this.#act(access, scope, correlationId, { type: 'StopCanary' })),
    on(GetCanary, ({ access, input: { scope } }) => this.#latest(access, scope)),
  ];
  readonly #ports: SwapCanaryPorts;

  constructor(ports: SwapCanaryPorts) {
    this.#ports = ports;
  }

  /** @throws ScopeKeyDestroyed if the scope was erased: no caller can find anything in it */
  async #start(access: Access, input: Started, correlationId: string): Promise<SwapChanged> {
    const { scope: name, share, thresholds, ...forced } = input;
    await this.#opened(permittedScope(access, name));
    await this.#ports.keys.cipher(permittedScope(access, name));
    const complete = { ...DEFAULT_CANARY_THRESHOLDS, ...thresholds };
    return this.#act(access, name, correlationId, { type: 'StartCanary', share, thresholds: complete, ...reasonOf(forced) });
  }

  async #act(access: Access, name: VectorScope, correlationId: string, action: Action): Promise<SwapChanged> {
    const { journal, now } = this.#ports;
    const scope = permittedScope(access, name);
    const known = await this.#opened(scope);
    const metadata = { ...scope, actor: access.actor, correlationId };
    const { state, position } = await journal.execute(decider, scopeStream(scope), { ...action, scope: name, now: now() }, metadata, known);
    return { ...(await statusOf(this.#ports, scope, state)), position };
  }

  async #latest(access: Access, name: VectorScope): Promise<ShownCanary> {
    const scope = permittedScope(access, name);
    const { canary } = (await this.#opened(scope)).state;
    if (!canary) throw new NotFound('canary of scope', name);
    const comparison = runningCanary({ canary }) && this.#ports.comparison.of(scope, canary);
    return { canary, ...(comparison === undefined ? {} : { comparison }) };
  }

  /** @throws NotFound */
  async #opened(scope: PermittedScope): Promise<Loaded<Scope>> {
    const known = await this.#ports.journal.load(decider, scopeStream(scope));
    if (!known.state.opened) throw new NotFound('scope', scope.scope);
    return known;
  }
}
