import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';

/** Everything of the tenant is to be erased. It cannot be stopped any more; its API keys are revoked with it. `erasure`: its id. */
export type TenantErasureRequested = Event<'TenantErasureRequested', { erasure: string; requestedAt: string }>;
/** The keys of all scopes of the tenant are destroyed: nothing that they sealed can be read any more. */
export type TenantErased = Event<'TenantErased', { erasure: string; scopes: readonly VectorScope[]; erasedAt: string }>;
/** The erasures of all scopes are complete. `receipt`: the signed receipt, as canonical JSON. */
export type TenantErasureCompleted = Event<'TenantErasureCompleted', { erasure: string; receipt: string; completedAt: string }>;

export type TenantErasureEvent = TenantErasureRequested | TenantErased | TenantErasureCompleted;
