import type { TenantErasureEvent } from '../events/tenant-erasure-events.ts';
import type { VectorScope } from '../values/scope.ts';
import { ScopeKeyDestroyed } from '../ports/scope-keys.ts';

export type TenantErasureCommand =
  | Readonly<{ type: 'RequestErasure'; erasure: string; now: string }>
  /** The keys of all of its scopes are destroyed. */
  | Readonly<{ type: 'RecordErased'; scopes: readonly VectorScope[]; now: string }>
  | Readonly<{ type: 'CompleteErasure'; receipt: string; now: string }>;

/** `requested`: keys of scopes may still exist. `erased`: none does. `completed`: nothing that was derived from the scopes is left. */
export type TenantErasure = Readonly<{
  erasure: string;
  state: 'requested' | 'erased' | 'completed';
  requestedAt: string;
  scopes?: readonly VectorScope[];
  erasedAt?: string;
  completedAt?: string;
  receipt?: string;
}>;

type WithErasure = Readonly<{ keys: ReadonlyMap<string, 'valid' | 'revoked'>; erasure?: TenantErasure }>;
type Revoked = Readonly<{ type: 'ApiKeyRevoked'; data: Readonly<{ keyId: string; revokedAt: string }> }>;

/** @throws ScopeKeyDestroyed once the erasure of the tenant is requested */
export const refuseErasedTenant = ({ erasure }: WithErasure): void => {
  if (erasure !== undefined) throw new ScopeKeyDestroyed('the tenant was erased');
};

export const decideTenantErasure = (command: TenantErasureCommand, state: WithErasure): readonly (TenantErasureEvent | Revoked)[] => {
  const { keys, erasure } = state;
  const { now } = command;
  switch (command.type) {
    case 'RequestErasure': {
      if (erasure) return [];
      const valid = [...keys].filter(([, status]) => status === 'valid');
      return [
        { type: 'TenantErasureRequested', data: { erasure: command.erasure, requestedAt: now } },
        ...valid.map(([keyId]): Revoked => ({ type: 'ApiKeyRevoked', data: { keyId, revokedAt: now } })),
      ];
    }
    case 'RecordErased':
      return erasure?.state === 'requested'
        ? [{ type: 'TenantErased', data: { erasure: erasure.erasure, scopes: command.scopes, erasedAt: now } }]
        : [];
    case 'CompleteErasure':
      return erasure?.state === 'erased'
        ? [{ type: 'TenantErasureCompleted', data: { erasure: erasure.erasure, receipt: command.receipt, completedAt: now } }]
        : [];
  }
};

export const evolveTenantErasure = <State extends WithErasure>(state: State, event: TenantErasureEvent): State => {
  if (event.type === 'TenantErasureRequested') {
    const { erasure, requestedAt } = event.data;
    return { ...state, erasure: { erasure, state: 'requested', requestedAt } };
  }
  if (state.erasure === undefined) return state;
  if (event.type === 'TenantErased') {
    const { scopes, erasedAt } = event.data;
    return { ...state, erasure: { ...state.erasure, state: 'erased', scopes, erasedAt } };
  }
  const { receipt, completedAt } = event.data;
  return { ...state, erasure: { ...state.erasure, state: 'completed', receipt, completedAt } };
};
