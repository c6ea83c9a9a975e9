import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Journal } from '@palimpsest/contracts';
import { Forbidden, hasRole, NotFound, requireRole, tenant as decider, tenantStream } from '@palimpsest/knowledge';
import type { Access, DomainEvent, Position, Role, TenantId } from '@palimpsest/knowledge';
import { LogFold } from '../log-fold.ts';

export type ApiKeyView = Readonly<{ keyId: string; name: string; tenant: TenantId; teams: readonly string[]; user?: string; roles: readonly Role[]; issuedAt: string }>;
export type NewApiKey = Readonly<{ tenant?: TenantId; name: string; teams: readonly string[]; user?: string; roles: readonly Role[] }>;
/** `key` is told this once and kept nowhere. */
export type IssuedApiKey = ApiKeyView & Readonly<{ key: string }>;

const PREFIX = 'plk_';
/** How long a request with an unknown key waits for keys that may be on their way. */
const REFRESH_MS = 1_000;
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The keys of the installation, in memory as the log has them; only hashes are known. */
export class ApiKeys {
  readonly #journal: Journal;
  readonly #now: () => string;
  readonly #byHash = new Map<string, ApiKeyView>();
  readonly #fold: LogFold;
  #refreshing: Promise<void> | undefined;

  constructor(journal: Journal, now: () => string) {
    this.#journal = journal;
    this.#now = now;
    this.#fold = new LogFold(journal, ['ApiKeyIssued', 'ApiKeyRevoked'], ({ event, metadata }) => this.#apply(event, metadata.tenant));
  }

  /** Reads every key there is, then keeps up with the log. @throws what keeps it from reading them: a damaged log, say */
  start(after: Position, onError: (error: unknown) => void): Promise<void> {
    return this.#fold.start(after, onError);
  }

  stop(): Promise<void> {
    return this.#fold.stop();
  }

  /** Who a key stands for, or undefined. By the hash, so that comparing takes no longer for nearly right keys. */
  accessOf(key: string): Access | undefined {
    const found = this.#byHash.get(hashOf(key));
    if (!found) return undefined;
    const { tenant, teams, user, roles, keyId } = found;
    return { tenant, teams, roles, actor: `key:${keyId}`, ...(user === undefined ? {} : { user }) };
  }

  list(tenant: TenantId): readonly ApiKeyView[] {
    return [...this.#byHash.values()].filter((key) => key.tenant === tenant);
  }

  /** An admin issues keys of its own tenant with its own roles at most; an operator those of any tenant. @throws Forbidden */
  async issue(by: Access, input: NewApiKey, correlationId: string): Promise<IssuedApiKey> {
    const tenant = input.tenant ?? by.tenant;
    if (tenant !== by.tenant) requireRole(by, 'operator');
    else if (!hasRole(by, 'operator')) requireRole(by, 'admin');
    if (input.roles.includes('operator') && !hasRole(by, 'operator')) throw new Forbidden('only an operator makes operators');
    return this.issueUnchecked(tenant, input, by.actor, correlationId);
  }

  /** For the installation itself: its first key. */
  async issueUnchecked(tenant: TenantId, { name, teams, user, roles }: NewApiKey, actor: string, correlationId: string): Promise<IssuedApiKey> {
    const key = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const issued = { keyId: randomUUID(), name, teams, roles, ...(user === undefined ? {} : { user }) };
    const now = this.#now();
    const { position } = await this.#journal.execute(
      decider,
      tenantStream(tenant),
      { type: 'IssueKey', key: { ...issued, hash: hashOf(key) }, now },
      { tenant, actor, correlationId },
    );
    await this.#fold.reached(position);
    return { ...issued, tenant, issuedAt: now, key };
  }

  /** A key whose text was chosen beforehand: the first one of an installation of many processes, all of which may ask for it. */
  async ensure(tenant: TenantId, key: string, { name, teams, user, roles }: NewApiKey, actor: string): Promise<void> {
    const hash = hashOf(key);
    const keyId = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    const issued = { keyId, name, teams, roles, hash, ...(user === undefined ? {} : { user }) };
    const { position } = await this.#journal.execute(decider, tenantStream(tenant), { type: 'IssueKey', key: issued, now: this.#now() }, { tenant, actor, correlationId: 'first-start' });
    await this.#fold.reached(position);
  }

  /**
   * Waits, for a moment, until what is on the log now has come here: a key that is not known may have been issued by another
   * process just now. Many callers share one look.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const head = await this.#journal.log.head();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, REFRESH_MS)));
    await Promise.race([this.#fold.reached(head), late]);
    clearTimeout(timer);
  }

  /** @throws Forbidden, NotFound */
  async revoke(by: Access, keyId: string, correlationId: string): Promise<void> {
    const found = [...this.#byHash.values()].find((key) => key.keyId === keyId && (key.tenant === by.tenant || hasRole(by, 'operator')));
    if (!hasRole(by, 'operator')) requireRole(by, 'admin');
    if (!found) throw new NotFound('API key', keyId);
    const metadata = { tenant: found.tenant, actor: by.actor, correlationId };
    const { position } = await this.#journal.execute(decider, tenantStream(found.tenant), { type: 'RevokeKey', keyId, now: this.#now() }, metadata);
    await this.#fold.reached(position);
  }

  #apply(event: DomainEvent, tenant: TenantId): void {
    if (event.type === 'ApiKeyIssued') {
      const { hash, ...view } = event.data;
      this.#byHash.set(hash, { ...view, tenant });
    } else if (event.type === 'ApiKeyRevoked') {
      const revoked = [...this.#byHash].filter(([, key]) => key.keyId === event.data.keyId && key.tenant === tenant);
      for (const [hash] of revoked) this.#byHash.delete(hash);
    }
  }
}
