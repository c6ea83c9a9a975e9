import { Conflict, NotFound } from '../errors.ts';
import type { ErasureEvent } from '../events/erasure-events.ts';
import type { ScopeEvent } from '../events/scope-events.ts';
import { ScopeKeyDestroyed } from '../ports/scope-keys.ts';
import type { VectorScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';

export type ErasureCommand =
  | Readonly<{ type: 'Hold'; scope: VectorScope; reason: string; now: string }>
  | Readonly<{ type: 'Release'; scope: VectorScope; now: string }>
  | Readonly<{ type: 'RequestErasure'; scope: VectorScope; erasure: string; now: string }>
  /** The key of the scope is destroyed. */
  | Readonly<{ type: 'RecordErased'; scope: VectorScope; now: string }>
  | Readonly<{ type: 'CompleteErasure'; scope: VectorScope; receipt: string; now: string }>;

/** `requested`: its key may still exist. `erased`: it does not. `completed`: nothing that was derived from it is left. */
export type Erasure = Readonly<{
  erasure: string;
  state: 'requested' | 'erased' | 'completed';
  requestedAt: string;
  erasedAt?: string;
  completedAt?: string;
  receipt?: string;
}>;
export type Hold = Readonly<{ reason: string; at: string }>;

type WithErasure = Readonly<{
  opened: boolean;
  generations: readonly Readonly<{ id: GenerationId; status: string }>[];
  hold?: Hold;
  erasure?: Erasure;
}>;

const COMMANDS: readonly string[] = ['RequestErasure', 'RecordErased', 'CompleteErasure'] satisfies readonly ErasureCommand['type'][];

/** @throws ScopeKeyDestroyed for any other command, once the erasure of the scope is requested */
export const refuseErased = ({ erasure }: WithErasure, { type, scope }: Readonly<{ type: string; scope: VectorScope }>): void => {
  if (erasure !== undefined && !COMMANDS.includes(type)) throw new ScopeKeyDestroyed(`scope "${scope}" was erased`);
};

/** @throws NotFound; Conflict while the scope is held */
export const decideErasure = (command: ErasureCommand, state: WithErasure): readonly ScopeEvent[] => {
  const { scope, now } = command;
  if (!state.opened) throw new NotFound('scope', scope);
  switch (command.type) {
    case 'Hold':
      return state.hold?.reason === command.reason ? [] : [{ type: 'ScopeHeld', data: { scope, reason: command.reason, heldAt: now } }];
    case 'Release':
      return state.hold ? [{ type: 'ScopeReleased', data: { scope, releasedAt: now } }] : [];
    case 'RequestErasure':
      if (state.hold) throw new Conflict(`scope "${scope}" is held, and must not be erased: release it first`);
      return state.erasure ? [] : [{ type: 'ScopeErasureRequested', data: { scope, erasure: command.erasure, requestedAt: now } }];
    case 'RecordErased':
      return state.erasure?.state === 'requested' ? erased(scope, state, state.erasure, now) : [];
    case 'CompleteErasure':
      if (state.erasure?.state !== 'erased') return [];
      return [
        { type: 'ScopeErasureCompleted', data: { scope, erasure: state.erasure.erasure, receipt: command.receipt, completedAt: now } },
      ];
  }
};

/** Its generations end with it: swaps, canaries and fleets see that they are gone. */
const erased = (scope: VectorScope, { generations }: WithErasure, { erasure }: Erasure, now: string): readonly ScopeEvent[] => [
  ...generations
    .filter(({ status }) => status !== 'retired')
    .map(({ id }): ScopeEvent => ({ type: 'GenerationRetired', data: { scope, generation: id, retiredAt: now } })),
  { type: 'ScopeErased', data: { scope, erasure, erasedAt: now } },
];

export const evolveErasure = <State extends WithErasure>(state: State, event: ErasureEvent): State => {
  switch (event.type) {
    case 'ScopeHeld':
      return { ...state, hold: { reason: event.data.reason, at: event.data.heldAt } };
    case 'ScopeReleased': {
      const { hold: _, ...rest } = state;
      return rest as State;
    }
    case 'ScopeErasureRequested': {
      const { erasure, requestedAt } = event.data;
      return { ...state, erasure: { erasure, state: 'requested', requestedAt } };
    }
    case 'ScopeErased':
      return state.erasure ? { ...state, erasure: { ...state.erasure, state: 'erased', erasedAt: event.data.erasedAt } } : state;
    case 'ScopeErasureCompleted': {
      const { receipt, completedAt } = event.data;
      return state.erasure ? { ...state, erasure: { ...state.erasure, state: 'completed', receipt, completedAt } } : state;
    }
  }
};
