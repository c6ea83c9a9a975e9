import { readFileSync } from 'node:fs';
import { parseInput, sealText, sealVector, toBase64 } from '@palimpsest/contracts';
import { listEvents } from '@palimpsest/contracts/routes/events';
import type { Access, Role } from '@palimpsest/knowledge/access';
import { documentStream, knowledgeBaseStream, retrievalStream, tenantStream } from '@palimpsest/knowledge/deciders';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { DomainEventType } from '@palimpsest/knowledge/events';
import type { JsonObject, StreamName } from '@palimpsest/knowledge/ports';
import {
  chunkId,
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  tenantId,
  vectorScope,
  type Position,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import { InMemoryEventLog, InMemoryScopeKeys } from '@palimpsest/test-kit';
import { Buses } from '@palimpsest/runtime';
import { BrowseEvents, ListEvents } from '../src/events/browse-events.ts';

export const ACME = tenantId('acme');
export const RED = vectorScope('team:red');
export const aDocument = (number: number) => documentId(number.toString(16).padStart(32, '0'));
export const VERSION = embeddingVersion('fake:bag-of-words/4');

export const caller = (role: Role, over: Partial<Access> = {}): Access => ({
  tenant: ACME,
  teams: ['red'],
  roles: [role],
  actor: 'key:me',
  ...over,
});

type Golden = Readonly<{ metadata: JsonObject; data: JsonObject }>;
const golden = (type: string): Golden =>
  JSON.parse(readFileSync(new URL(`../../contracts/golden/${type}.v1.json`, import.meta.url), 'utf8')) as Golden;

/** An event log to which tests add golden events with their own changes. */
export class EventWorld {
  readonly log = new InMemoryEventLog();
  readonly keys = new InMemoryScopeKeys();
  readonly browse: BrowseEvents;
  readonly #revisions = new Map<StreamName, number>();
  #count = 0;

  constructor(maxScanned?: number) {
    this.browse = new BrowseEvents(this.log, this.keys, maxScanned);
  }

  /** A page of the list, asked for as in a URL. */
  async page(access: Access, query: object) {
    const buses = new Buses(this.browse.handlers, UNLIMITED);
    return buses.execute(new ListEvents({ access, correlationId: 'test' }, parseInput(listEvents.query, query)));
  }

  async add(
    stream: StreamName,
    type: DomainEventType,
    { data = {}, metadata = {} }: Readonly<{ data?: object; metadata?: object }> = {},
  ): Promise<Position> {
    const event = golden(type);
    const id = `00000000-0000-8000-8000-${String(++this.#count).padStart(12, '0')}`;
    const allMetadata = Object.fromEntries(
      Object.entries({ ...event.metadata, ...metadata }).filter(([, value]) => value !== undefined),
    ) as JsonObject;
    const result = await this.log.append(
      stream,
      [{ id, type, data: { ...event.data, ...(data as JsonObject) }, metadata: allMetadata }],
      this.#revisions.get(stream) ?? 'no-stream',
    );
    if (result.outcome !== 'appended') throw new Error('another writer appended');
    this.#revisions.set(stream, result.revision);
    return result.position;
  }

  /** An event of this type about a document of the scope. */
  document(
    number: number,
    type: DomainEventType = 'DocumentSubmitted',
    { tenant = ACME, scope = RED, data = {} }: Partial<TenantScope> & Readonly<{ data?: object }> = {},
  ): Promise<Position> {
    return this.add(documentStream(tenant, aDocument(number)), type, {
      metadata: { tenant, scope },
      data: { documentId: aDocument(number), ...data },
    });
  }

  /** A chunk whose text and vector are sealed the way the platform seals them. */
  async chunk(number: number, text: string, of: TenantScope = { tenant: ACME, scope: RED }): Promise<Position> {
    const cipher = await this.keys.cipher(of);
    const id = chunkId(number.toString(16).padStart(32, 'c'));
    const sealed = {
      chunkId: id,
      embeddingVersion: VERSION,
      sealedText: toBase64(sealText(cipher, id, { text, contextPrefix: 'Above', headings: ['One'] })),
      sealedVector: toBase64(sealVector(cipher, id, VERSION, Float32Array.of(0.6, 0, 0.8, 0))),
    };
    return this.document(number, 'KnowledgeChunkIndexed', { ...of, data: sealed });
  }

  knowledgeBase(name: string, { tenant = ACME, scope = RED }: Partial<TenantScope> = {}): Promise<Position> {
    return this.add(knowledgeBaseStream(tenant, knowledgeBaseId(name)), 'KnowledgeBaseCreated', {
      metadata: { tenant, scope },
      data: { id: name, scope },
    });
  }

  key(tenant = ACME): Promise<Position> {
    return this.add(tenantStream(tenant), 'ApiKeyIssued', { metadata: { tenant, scope: undefined } });
  }

  retrieval(actor: string, permittedScopes: readonly string[], tenant = ACME): Promise<Position> {
    return this.add(retrievalStream(tenant), 'KnowledgeRetrieved', {
      metadata: { tenant, actor, scope: undefined },
      data: { permittedScopes, requestedScopes: ['deployment', 'team:red', 'team:blue'] },
    });
  }
}
