import { z } from 'zod';
import { limitOverrides as overrides, tierLimits } from '../../schemas/limit-schemas.ts';
import { fieldsOf, list, named, part, view } from '../view.ts';

export const limits = named('Limits', tierLimits, 'A missing field means no limit.');
export type Limits = Readonly<z.infer<typeof limits>>;
export type Rates = Readonly<NonNullable<Limits['rates']>>;
export type Rate = Readonly<NonNullable<Rates['search']>>;
export type Quotas = Readonly<NonNullable<Limits['quotas']>>;

const limitOverrides = named('LimitOverrides', overrides, 'Limits of one tenant that differ from its tier. `null` removes a limit.');
export type LimitOverrides = Readonly<z.infer<typeof limitOverrides>>;

export const usageView = view(
  'UsageView',
  {
    tenant: z.string(),
    tier: z.string().nullable(),
    limits,
    use: part({
      documents: z.number(),
      chunks: z.number(),
      bytes: z.number(),
      knowledgeBases: z.number(),
      retrievalsToday: z.number(),
      liveStreams: z.number(),
    }),
  },
  "Limits and usage of a tenant. `tier`: the tier whose limits apply, before the tenant's own overrides.",
);
export type UsageView = z.infer<typeof usageView>;

export const tenantView = view(
  'TenantView',
  { ...fieldsOf(usageView), assigned: part({ tier: z.string().nullable(), overrides: limitOverrides }) },
  '`assigned`: the tier and overrides that an operator set for this tenant.',
);
export type TenantView = z.infer<typeof tenantView>;

export const tenantList = view('TenantList', { tenants: list(tenantView) });
export type TenantList = z.infer<typeof tenantList>;
