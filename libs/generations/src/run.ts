import type { TenantScope } from '@palimpsest/knowledge/values';

/** One run of work: the scope, the request that caused it, and the signal that ends it. */
export type Run = Readonly<{ scope: TenantScope; correlationId: string; signal: AbortSignal }>;
