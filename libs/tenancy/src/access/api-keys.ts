import { createHash } from 'node:crypto';
import type { Journal } from '@palimpsest/contracts';
import { SYSTEM, type System } from '@palimpsest/foundation';
import { createApiKey, listApiKeys, revokeApiKey } from '@palimpsest/contracts/routes/api-keys';
import { hasRole } from '@palimpsest/knowledge/access';
import { command, NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import { tenant as decider, tenantStream } from '@palimpsest/knowledge/deciders';
import { Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { projection } from '@palimpsest/knowledge/events';
import type { Access, RequiredLabels, Role } from '@palimpsest/knowledge/access';
import type { ApiKeyIssued, ApiKeyRevoked, Fact } from '@palimpsest/knowledge/events';
import type { Position, TenantId } from '@palimpsest/knowledge/values';
import { InMemoryProjection } from '@palimpsest/contracts';

export type ApiKeyView = Readonly<{
  keyId: string;
  name: string;
  tenant: TenantId;
  teams: readonly string[];
  user?: string;
  roles: readonly Role[];
  requiredLabels?: RequiredLabels;
  issuedAt: string;
}>;
export type NewApiKey = Readonly<{
  tenant?: TenantId;
  name: string;
  teams: readonly string[];
  user?: string;
  roles: readonly Role[];
  /** Default: documents with any labels. */
  requiredLabels?: RequiredLabels;
}>;
/** `key` is the secret. It is returned only here and never stored. */
export type IssuedApiKey = ApiKeyView & Readonly<{ key: string }>;

const PREFIX = 'plk_';
/** How long a request with an unknown key waits for keys that other processes may have created. */
const REFRESH_MS = 1_000;
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A key for another tenant requires an operator. */
export class CreateApiKey extends command<NewApiKey, IssuedApiKey>(createApiKey, {
  role: ({ tenant }, access) => (tenant === undefined || tenant === access.tenant ? undefined : 'operator'),
}) {}
export class ListApiKeys extends query<void, readonly ApiKeyView[]>(listApiKeys, NO_ROWS) {}
/** `input`: the id of the key. */
export class RevokeApiKey extends command<string, void>(revokeApiKey) {}

/** In-memory projection of the API keys of the installation. Contains only hashes. */
export class ApiKeys implements UseCase {
  readonly handlers = [
    on(CreateApiKey, ({ access, input, correlationId }) => this.issue(access, input, correlationId)),
    on(ListApiKeys, ({ access }) => this.list(access.tenant)),
    on(RevokeApiKey, ({ access, input, correlationId }) => this.revoke(access, input, correlationId)),
  ];
  readonly #journal: Journal;
  readonly #now: () => string;
  readonly #system: System;
  readonly #byHash = new Map<string, ApiKeyView>();
  readonly #projection: InMemoryProjection;
  #refreshing: Promise<void> | undefined;

  constructor(journal: Journal, now: () => string, system: System = SYSTEM) {
    this.#journal = journal;
    this.#system = system;
    this.#now = now;
    this.#projection = new InMemoryProjection(
      journal,
      projection('api-keys', {
        ApiKeyIssued: (fact) => this.#issued(fact),
        ApiKeyRevoked: (fact) => this.#revoked(fact),
      }),
      system.scheduler,
    );
  }

  /** Reads all keys from the log, then follows it. @throws read errors, for example of a damaged log */
  start(after: Position, onError: (error: unknown) => void): Promise<void> {
    return this.#projection.start(after, onError);
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  /** Returns the access of a key, or undefined. Looks up the hash, so that response times reveal nothing about similar keys. */
  accessOf(key: string): Access | undefined {
    const found = this.#byHash.get(hashOf(key));
    if (!found) return undefined;
    const { tenant, teams, user, roles, requiredLabels, keyId } = found;
    return {
      tenant,
      teams,
      roles,
      actor: `key:${keyId}`,
      ...(user === undefined ? {} : { user }),
      ...(requiredLabels === undefined ? {} : { requiredLabels }),
    };
  }

  list(tenant: TenantId): readonly ApiKeyView[] {
    return [...this.#byHash.values()].filter((key) => key.tenant === tenant);
  }

  /**
   * Only an operator creates keys with the role operator. What admins and operators do concerns documents with any labels.
   * @throws Forbidden; InvalidValue for a key of an admin or operator that requires labels
   */
  async issue(by: Access, input: NewApiKey, correlationId: string): Promise<IssuedApiKey> {
    const tenant = input.tenant ?? by.tenant;
    if (input.roles.includes('operator') && !hasRole(by, 'operator'))
      throw new Forbidden('only an operator can create keys with the role "operator"');
    const further = input.roles.find((role) => role === 'admin' || role === 'operator');
    if (input.requiredLabels !== undefined && further !== undefined)
      throw new InvalidValue('roles', 'reader or writer for a key that requires labels', further);
    return this.issueUnchecked(tenant, input, by.actor, correlationId);
  }

  /** Creates a key without checking roles, for the first key of an installation. */
  async issueUnchecked(
    tenant: TenantId,
    { name, teams, user, roles, requiredLabels }: NewApiKey,
    actor: string,
    correlationId: string,
  ): Promise<IssuedApiKey> {
    const key = `${PREFIX}${this.#system.random.bytes(32).toString('base64url')}`;
    const issued = {
      keyId: this.#system.ids.next(),
      name,
      teams,
      roles,
      ...(user === undefined ? {} : { user }),
      ...(requiredLabels === undefined ? {} : { requiredLabels }),
    };
    const now = this.#now();
    const { position } = await this.#journal.execute(
      decider,
      tenantStream(tenant),
      { type: 'IssueKey', key: { ...issued, hash: hashOf(key) }, now },
      { tenant, actor, correlationId },
    );
    await this.#projection.reached(position);
    return { ...issued, tenant, issuedAt: now, key };
  }

  /** Creates a key with a given secret unless it exists: the first key of a distributed installation. All processes may call it. */
  async ensure(tenant: TenantId, key: string, { name, teams, user, roles }: NewApiKey, actor: string): Promise<void> {
    const hash = hashOf(key);
    const keyId = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    const issued = { keyId, name, teams, roles, hash, ...(user === undefined ? {} : { user }) };
    const { position } = await this.#journal.execute(
      decider,
      tenantStream(tenant),
      { type: 'IssueKey', key: issued, now: this.#now() },
      { tenant, actor, correlationId: 'first-start' },
    );
    await this.#projection.reached(position);
  }

  /**
   * Waits briefly until the current end of the log has been processed: another process may have created the unknown key a moment ago.
   * Concurrent callers share one wait.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const head = await this.#journal.log.head();
    await this.#projection.reached(head, REFRESH_MS);
  }

  /** Operators revoke the keys of any tenant. @throws NotFound */
  async revoke(by: Access, keyId: string, correlationId: string): Promise<void> {
    const found = [...this.#byHash.values()].find((key) => key.keyId === keyId && (key.tenant === by.tenant || hasRole(by, 'operator')));
    if (!found) throw new NotFound('API key', keyId);
    const metadata = { tenant: found.tenant, actor: by.actor, correlationId };
    const { position } = await this.#journal.execute(
      decider,
      tenantStream(found.tenant),
      { type: 'RevokeKey', keyId, now: this.#now() },
      metadata,
    );
    await this.#projection.reached(position);
  }

  #issued({
    event: {
      data: { hash, ...view },
    },
    metadata: { tenant },
  }: Fact<ApiKeyIssued>): void {
    this.#byHash.set(hash, { ...view, tenant });
  }

  #revoked({ event, metadata: { tenant } }: Fact<ApiKeyRevoked>): void {
    const revoked = [...this.#byHash].filter(([, key]) => key.keyId === event.data.keyId && key.tenant === tenant);
    for (const [hash] of revoked) this.#byHash.delete(hash);
  }
}
