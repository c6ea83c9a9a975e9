import { domainCodec } from '@palimpsest/contracts';

/** Traces, keys and limits change no read model; following them would wake the projection for nothing. */
export const PROJECTED = domainCodec.types().filter((type) => !/^(KnowledgeRetriev|ApiKey|TenantLimits)/.test(type));
