import { documentIdOf } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import { knowledgeBase, knowledgeBaseStream, scope as scopeDecider, scopeStream } from '@palimpsest/knowledge/deciders';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { GoldenSetName } from '@palimpsest/knowledge/golden';
import type { CatalogChange } from '@palimpsest/knowledge/read-models';
import {
  embeddingVersion,
  knowledgeBaseId,
  position,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type DocumentId,
  type KnowledgeBaseId,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aJournal, InMemoryCatalog, InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { ExportGoldenSet, GetGoldenSet, GoldenSets, ImportGoldenSet, ListGoldenSets, RemoveGoldenSet } from '../src/golden-sets.ts';

export const RED: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const BLUE: TenantScope = { ...RED, scope: vectorScope('team:blue') };
export const ADMIN: Access = { tenant: RED.tenant, teams: ['red', 'blue'], roles: ['admin'], actor: 'key:admin' };
export const HANDBOOK = knowledgeBaseId('handbook');
const NOW = '2026-11-26T08:00:00.000Z';
const CHUNKING = { markdown: { maxChars: 1500 } };

type ImportOptions = Readonly<{ expected?: number; knowledgeBase?: KnowledgeBaseId; access?: Access; scope?: TenantScope }>;
type Ask = Readonly<{ access?: Access; scope?: TenantScope }>;

/** The team red with the knowledge base `handbook`, and the team blue with `other`. The catalog has the documents that `exists` adds. */
export class World {
  readonly log = new InMemoryEventLog();
  readonly keys = new InMemoryScopeKeys();
  readonly journal = aJournal(this.log, this.keys);
  readonly catalog = new InMemoryCatalog();
  readonly faults: unknown[] = [];
  readonly #buses: Buses;
  #changes = 0n;

  private constructor() {
    const { journal, keys, catalog, faults } = this;
    const sets = new GoldenSets({ journal, keys, catalog, now: () => NOW, onFault: (error) => void faults.push(error) });
    this.#buses = new Buses(sets.handlers, UNLIMITED);
  }

  static async open(): Promise<World> {
    const world = new World();
    for (const scope of [RED, BLUE]) {
      const open = {
        type: 'Open' as const,
        scope: scope.scope,
        recipe: recipeWith({ version: embeddingVersion('fake:mini/8') }),
        now: NOW,
      };
      await world.journal.execute(scopeDecider, scopeStream(scope), open, world.#metadata(scope));
    }
    await world.knowledgeBase(HANDBOOK);
    await world.knowledgeBase(knowledgeBaseId('other'), BLUE);
    return world;
  }

  async knowledgeBase(id: KnowledgeBaseId, scope = RED): Promise<void> {
    const settings = { name: id, description: '', chunking: CHUNKING };
    const create = { type: 'Create' as const, id, scope: scope.scope, settings, now: NOW };
    await this.journal.execute(knowledgeBase, knowledgeBaseStream(scope.tenant, id), create, this.#metadata(scope));
    await this.#apply({ change: 'knowledge-base-created', ...scope, id, settings, at: NOW });
  }

  async idOf(source: string, base = HANDBOOK, scope = RED): Promise<DocumentId> {
    const named = { tenant: scope.tenant, knowledgeBase: base, sourceId: sourceId(source), documentIds: 'keyed' as const };
    return documentIdOf(this.journal, await this.keys.cipher(scope), named);
  }

  /** Adds the document to the catalog. */
  async exists(source: string, base = HANDBOOK, scope = RED): Promise<DocumentId> {
    const documentId = await this.idOf(source, base, scope);
    await this.#apply({
      change: 'document-submitted',
      ...scope,
      documentId,
      knowledgeBase: base,
      sourceId: sourceId(source),
      version: 1,
      title: source,
      mediaType: 'text/plain',
      bytes: 1,
      checksum: sha256('0'.repeat(64)),
      labels: {},
      origin: 'UserContent',
      at: NOW,
    });
    return documentId;
  }

  async isDeleted(documentId: DocumentId): Promise<void> {
    await this.#apply({ change: 'document-deleted', tenant: RED.tenant, documentId });
  }

  /** Sends these lines; what is no text is sent as JSON. */
  import(set: GoldenSetName, lines: readonly unknown[], { access = ADMIN, scope = RED, ...options }: ImportOptions = {}) {
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    return this.#buses.execute(new ImportGoldenSet(callerOf(access), { scope: scope.scope, set, ...options, lines: inPieces(text) }));
  }

  list({ access = ADMIN, scope = RED }: Ask = {}) {
    return this.#buses.execute(new ListGoldenSets(callerOf(access), { scope: scope.scope }));
  }

  get(set: GoldenSetName, { access = ADMIN, scope = RED, limit = 50, ...page }: Ask & Readonly<{ limit?: number; cursor?: string }> = {}) {
    return this.#buses.execute(new GetGoldenSet(callerOf(access), { scope: scope.scope, set, limit, ...page }));
  }

  async export(set: GoldenSetName, { access = ADMIN, scope = RED }: Ask = {}) {
    return collect(await this.#buses.execute(new ExportGoldenSet(callerOf(access), { scope: scope.scope, set })));
  }

  remove(set: GoldenSetName, { access = ADMIN, scope = RED, ...options }: Ask & Readonly<{ expected?: number }> = {}) {
    return this.#buses.execute(new RemoveGoldenSet(callerOf(access), { scope: scope.scope, set, ...options }));
  }

  /** The types of the golden events on the log, in order. */
  async events(): Promise<readonly string[]> {
    const types = (await collect(this.log.readAll())).map(({ type }) => type);
    return types.filter((type) => type.startsWith('Golden'));
  }

  #metadata(scope: TenantScope) {
    return { ...scope, actor: 'spec', correlationId: 'spec' };
  }

  async #apply(change: CatalogChange): Promise<void> {
    await this.catalog.apply([change], position(String((this.#changes += 1n))));
  }
}

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const callerOf = (access: Access) => ({ access, correlationId: 'request-1' });

/** As a body arrives: in pieces that end anywhere. */
async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}
