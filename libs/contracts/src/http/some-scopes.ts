import { z } from 'zod';
import { wire } from '../schemas/values.ts';

/** Of one request. */
const MAX_SCOPES = 100;

/** The fields of a request of an operator that concerns everything, or only some scopes of one tenant. */
export const someScopes = {
  scopes: z
    .array(wire.scope)
    .min(1)
    .max(MAX_SCOPES)
    .refine((scopes) => new Set(scopes).size === scopes.length, 'expected different scopes')
    .exactOptional()
    .describe('only these scopes; default: everything'),
  tenant: wire.tenantId.exactOptional().describe('the tenant of `scopes`; default: that of the key'),
};
