import { streamName, type StreamName } from './ports/event-log.ts';
import type { TenantSubject } from './ports/scope-keys.ts';
import type { FleetId } from './values/fleet.ts';
import type { Digest, DocumentId, KnowledgeBaseId } from './values/ids.ts';
import type { TenantScope } from './values/scope.ts';
import type { TenantId } from './values/tenant.ts';

/** One stream per aggregate. Every name contains the tenant. */
export const knowledgeBaseStream = (tenant: TenantId, id: KnowledgeBaseId): StreamName => streamName('knowledge_base', tenant, id);
export const documentStream = (tenant: TenantId, id: DocumentId): StreamName => streamName('document', tenant, id);
export const scopeStream = ({ tenant, scope }: TenantScope): StreamName => streamName('scope', tenant, scope);
/** The removals of history in a scope. */
export const historyStream = ({ tenant, scope }: TenantScope): StreamName => streamName('history', tenant, scope);
/** The golden sets of a scope: which there are, and in which version. */
export const goldenSetsStream = ({ tenant, scope }: TenantScope): StreamName => streamName('golden_set', tenant, scope);
/** The queries of one version. It is named by their digest under the key of the scope, so the same queries are stored once. */
export const goldenQueriesStream = ({ tenant, scope }: TenantScope, content: Digest): StreamName =>
  streamName('golden_set', tenant, scope, content);
export const retrievalStream = (tenant: TenantId): StreamName => streamName('_platform.retrieval', tenant);
/** Audit entries of a tenant. Attempts without a valid key belong to no tenant and have their own stream (`deniedStream`). */
export const auditStream = (tenant: TenantId): StreamName => streamName('_platform.audit', tenant);
export const deniedStream = (): StreamName => streamName('_platform.audit');
export const tenantStream = (tenant: TenantId): StreamName => streamName('tenant', tenant);
/** The erasure of a data subject. */
export const subjectStream = ({ tenant, subject }: TenantSubject): StreamName => streamName('tenant', tenant, subject);
/** A fleet may belong to several tenants, so its name contains none. */
export const fleetStream = (id: FleetId): StreamName => streamName('_platform.fleet', id);
/** The models that operators added. They belong to the installation, not to a tenant. */
export const modelsStream = (): StreamName => streamName('_platform.models');
/** The signed checkpoints of the log. */
export const checkpointStream = (): StreamName => streamName('_platform.checkpoints');
/** Whether the log removes records of the stream by their age. */
export const hasAgeLimit = (stream: StreamName): boolean => /^_platform\.(?:audit|retrieval)(?:-|$)/.test(stream);
/** Repairs of read models. They belong to the installation, not to a tenant. */
export const readModelsStream = (): StreamName => streamName('_platform.read_models');
