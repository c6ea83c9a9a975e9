import type { Role } from '../access/access.ts';
import type { Event } from './event.ts';

/** `hash`: SHA-256 of the key's secret (256 random bits, so no slow hash is needed); the secret itself is nowhere. */
export type ApiKeyIssued = Event<
  'ApiKeyIssued',
  { keyId: string; name: string; hash: string; teams: readonly string[]; user?: string; roles: readonly Role[]; issuedAt: string }
>;
export type ApiKeyRevoked = Event<'ApiKeyRevoked', { keyId: string; revokedAt: string }>;

export type TenantEvent = ApiKeyIssued | ApiKeyRevoked;
