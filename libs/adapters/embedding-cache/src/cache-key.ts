import { createHmac } from 'node:crypto';

import type { EmbeddingKind, EmbeddingVersion, TenantId } from '@palimpsest/knowledge';

/** A key of 32 bytes for each tenant, derived from one secret: what one tenant embedded is found by nobody else. */
export const tenantSecret = (secret: Uint8Array, tenant: TenantId): Uint8Array => createHmac('sha256', secret).update(tenant).digest();

/**
 * Version, kind and HMAC-SHA-256 of the text, so that no text is kept, and only the same tenant finds the same text of the same
 * model. The digest is over UTF-16, because UTF-8 has no form for lone surrogates: two texts that differ in them would be one.
 */
export const cacheKey = (secret: Uint8Array, version: EmbeddingVersion, kind: EmbeddingKind, text: string): string =>
  `${version} ${kind} ${createHmac('sha256', secret).update(text, 'utf16le').digest('base64url')}`;
