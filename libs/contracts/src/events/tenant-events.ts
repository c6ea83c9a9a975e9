import { z } from 'zod';
import { ROLES } from '@palimpsest/knowledge/access';
import type { TenantEvent } from '@palimpsest/knowledge/events';
import type { WireEvents } from '../event-codec.ts';
import { limitOverrides } from '../schemas/limit-schemas.ts';
import { wire } from '../schemas/values.ts';

export const tenantEvents: WireEvents<TenantEvent> = {
  ApiKeyIssued: {
    schema: z.object({
      keyId: z.string(),
      name: z.string(),
      hash: wire.sha256,
      teams: z.array(z.string()),
      user: z.string().exactOptional(),
      roles: z.array(z.enum(ROLES)),
      requiredLabels: z.record(z.string(), z.array(z.string())).exactOptional(),
      issuedAt: wire.time,
    }),
  },
  ApiKeyRevoked: { schema: z.object({ keyId: z.string(), revokedAt: wire.time }) },
  TenantErasureRequested: { schema: z.object({ erasure: z.uuid(), requestedAt: wire.time }) },
  TenantErased: { schema: z.object({ erasure: z.uuid(), scopes: z.array(wire.scope), erasedAt: wire.time }) },
  TenantErasureCompleted: { schema: z.object({ erasure: z.uuid(), receipt: z.string(), completedAt: wire.time }) },
  TenantLimitsSet: { schema: z.object({ tier: z.string().exactOptional(), overrides: limitOverrides, setAt: wire.time }) },
};
