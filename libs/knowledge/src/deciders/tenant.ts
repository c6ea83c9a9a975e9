import { NotFound, unreachable } from '../errors.ts';
import type { ApiKeyIssued, TenantEvent } from '../events/tenant-events.ts';
import type { Decider } from './decider.ts';

export type TenantCommand =
  | Readonly<{ type: 'IssueKey'; key: Omit<ApiKeyIssued['data'], 'issuedAt'>; now: string }>
  | Readonly<{ type: 'RevokeKey'; keyId: string; now: string }>;

export type Tenant = Readonly<{ keys: ReadonlyMap<string, 'valid' | 'revoked'> }>;

const decide = (command: TenantCommand, state: Tenant): readonly TenantEvent[] => {
  switch (command.type) {
    case 'IssueKey':
      return state.keys.has(command.key.keyId) ? [] : [{ type: 'ApiKeyIssued', data: { ...command.key, issuedAt: command.now } }];
    case 'RevokeKey': {
      const status = state.keys.get(command.keyId);
      if (status === undefined) throw new NotFound('API key', command.keyId);
      return status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data: { keyId: command.keyId, revokedAt: command.now } }];
    }
    default:
      return unreachable(command);
  }
};

const evolve = (state: Tenant, event: TenantEvent): Tenant => {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { keys: new Map([...state.keys, [event.data.keyId, 'valid']]) };
    case 'ApiKeyRevoked':
      return { keys: new Map([...state.keys, [event.data.keyId, 'revoked']]) };
    default:
      return unreachable(event);
  }
};

/** A tenant and its keys. */
export const tenant: Decider<TenantCommand, Tenant, TenantEvent> = { initial: () => ({ keys: new Map() }), decide, evolve };
