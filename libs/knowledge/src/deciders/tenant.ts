import { NotFound, unreachable } from '../errors.ts';
import type { ApiKeyIssued, TenantEvent, TenantLimitsSet } from '../events/tenant-events.ts';
import type { Decider } from './decider.ts';
import {
  decideTenantErasure,
  evolveTenantErasure,
  refuseErasedTenant,
  type TenantErasure,
  type TenantErasureCommand,
} from './tenant-erasure.ts';

type SetLimits = Omit<TenantLimitsSet['data'], 'setAt'>;

export type TenantCommand =
  | TenantErasureCommand
  | Readonly<{ type: 'IssueKey'; key: Omit<ApiKeyIssued['data'], 'issuedAt'>; now: string }>
  | Readonly<{ type: 'RevokeKey'; keyId: string; now: string }>
  /** The caller checks that the tier exists: tiers are settings and can change. */
  | Readonly<{ type: 'SetLimits'; limits: SetLimits; now: string }>;

export type Tenant = Readonly<{ keys: ReadonlyMap<string, 'valid' | 'revoked'>; limits?: SetLimits; erasure?: TenantErasure }>;

/** Equality independent of the order of fields. */
const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  ) ?? '';

const limitsOf = ({ tier, overrides }: SetLimits): SetLimits => ({ ...(tier === undefined ? {} : { tier }), overrides });

const decide = (command: TenantCommand, state: Tenant): readonly TenantEvent[] => {
  switch (command.type) {
    case 'IssueKey':
      if (state.keys.has(command.key.keyId)) return [];
      refuseErasedTenant(state);
      return [{ type: 'ApiKeyIssued', data: { ...command.key, issuedAt: command.now } }];
    case 'RevokeKey': {
      const status = state.keys.get(command.keyId);
      if (status === undefined) throw new NotFound('API key', command.keyId);
      return status === 'revoked' ? [] : [{ type: 'ApiKeyRevoked', data: { keyId: command.keyId, revokedAt: command.now } }];
    }
    case 'SetLimits':
      refuseErasedTenant(state);
      return same(state.limits ?? { overrides: {} }, limitsOf(command.limits))
        ? []
        : [{ type: 'TenantLimitsSet', data: { ...limitsOf(command.limits), setAt: command.now } }];
    case 'RequestErasure':
    case 'RecordErased':
    case 'CompleteErasure':
      return decideTenantErasure(command, state);
    default:
      return unreachable(command);
  }
};

const evolve = (state: Tenant, event: TenantEvent): Tenant => {
  switch (event.type) {
    case 'ApiKeyIssued':
      return { ...state, keys: new Map([...state.keys, [event.data.keyId, 'valid']]) };
    case 'ApiKeyRevoked':
      return { ...state, keys: new Map([...state.keys, [event.data.keyId, 'revoked']]) };
    case 'TenantLimitsSet':
      return { ...state, limits: limitsOf(event.data) };
    case 'TenantErasureRequested':
    case 'TenantErased':
    case 'TenantErasureCompleted':
      return evolveTenantErasure(state, event);
    default:
      return unreachable(event);
  }
};

/** A tenant with its keys, its limits and its erasure. */
export const tenant: Decider<TenantCommand, Tenant, TenantEvent> = { initial: () => ({ keys: new Map() }), decide, evolve };
