import type { Role } from '../access/access.ts';
import type { RequiredLabels } from '../access/required-labels.ts';
import type { LimitOverrides } from '../values/limits.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';
import type { TenantErased, TenantErasureCompleted, TenantErasureRequested } from './tenant-erasure-events.ts';

/** `hash`: SHA-256 of the secret (256 random bits, so no slow hash is needed). The secret itself is not stored. */
export type ApiKeyIssued = Event<
  'ApiKeyIssued',
  {
    keyId: string;
    name: string;
    hash: string;
    teams: readonly string[];
    user?: string;
    roles: readonly Role[];
    /** Newer than the others. */
    requiredLabels?: RequiredLabels;
    issuedAt: string;
  }
>;
export type ApiKeyRevoked = Event<'ApiKeyRevoked', { keyId: string; revokedAt: string }>;

/** Replaces the limits of a tenant: the name of its tier, and its overrides. */
export type TenantLimitsSet = Event<'TenantLimitsSet', { tier?: string; overrides: LimitOverrides; setAt: string }>;

export type TenantEvent = ApiKeyIssued | ApiKeyRevoked | TenantLimitsSet | TenantErasureRequested | TenantErased | TenantErasureCompleted;

/** The projections that read each type. */
export const TENANT_READERS = {
  ApiKeyIssued: ['api-keys', 'tenant-limits', 'event-views'],
  ApiKeyRevoked: ['api-keys', 'event-views'],
  TenantLimitsSet: ['tenant-limits', 'event-views'],
  TenantErasureRequested: ['erasures', 'event-views'],
  TenantErased: ['erasures', 'event-views'],
  TenantErasureCompleted: ['erasures', 'event-views'],
} as const satisfies ReadersOf<TenantEvent>;
