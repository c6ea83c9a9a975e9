import { domainCodec } from '@palimpsest/contracts';

/** Traces, keys, limits and the audit trail change no read model; following them would wake the projection for nothing. */
export const PROJECTED = domainCodec.types().filter((type) => !/^(KnowledgeRetriev|ApiKey|TenantLimits|AccessRecorded)/.test(type));
