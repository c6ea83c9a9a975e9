import { streamName, type StreamName } from './ports/event-log.ts';
import type { DocumentId, KnowledgeBaseId } from './values/ids.ts';
import type { TenantScope } from './values/scope.ts';
import type { TenantId } from './values/tenant.ts';

/** One stream per thing that decides; the tenant is part of every name. */
export const knowledgeBaseStream = (tenant: TenantId, id: KnowledgeBaseId): StreamName => streamName('knowledge_base', tenant, id);
export const documentStream = (tenant: TenantId, id: DocumentId): StreamName => streamName('document', tenant, id);
export const scopeStream = ({ tenant, scope }: TenantScope): StreamName => streamName('scope', tenant, scope);
export const retrievalStream = (tenant: TenantId): StreamName => streamName('_platform.retrieval', tenant);
/** Who did what in a tenant; and attempts without a valid key, which belong to no tenant. */
export const auditStream = (tenant: TenantId): StreamName => streamName('_platform.audit', tenant);
export const deniedStream = (): StreamName => streamName('_platform.audit');
export const tenantStream = (tenant: TenantId): StreamName => streamName('tenant', tenant);
