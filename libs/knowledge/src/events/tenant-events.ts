import type { Role } from '../access/access.ts';
import type { LimitOverrides } from '../values/limits.ts';
import type { Event } from './event.ts';

/** `hash`: SHA-256 of the key's secret (256 random bits, so no slow hash is needed); the secret itself is nowhere. */
export type ApiKeyIssued = Event<
  'ApiKeyIssued',
  { keyId: string; name: string; hash: string; teams: readonly string[]; user?: string; roles: readonly Role[]; issuedAt: string }
>;
export type ApiKeyRevoked = Event<'ApiKeyRevoked', { keyId: string; revokedAt: string }>;

/** What the tenant may use from here on, in the place of what was set before: a tier by its name, and what is otherwise for this tenant. */
export type TenantLimitsSet = Event<'TenantLimitsSet', { tier?: string; overrides: LimitOverrides; setAt: string }>;

export type TenantEvent = ApiKeyIssued | ApiKeyRevoked | TenantLimitsSet;
