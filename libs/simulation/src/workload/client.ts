import { chunkingSettings, CreateKnowledgeBase, DeleteDocument, SubmitDocuments } from '@palimpsest/ingestion';
import { KnowledgeError, NotFound } from '@palimpsest/knowledge/errors';
import { sourceId, type Position } from '@palimpsest/knowledge/values';
import { SearchKnowledge, searchRequest, type SearchHit } from '@palimpsest/query';
import type { Access } from '@palimpsest/knowledge/access';
import type { Caller } from '@palimpsest/knowledge/messages';
import type { Cluster } from '../nodes/cluster.ts';
import type { Answer, SimulatedNode } from '../nodes/node.ts';
import { BASE, SCOPE, type ClientDocument, type ClientTenant, type Content } from './tenant.ts';

export type Fleet = Readonly<{
  ingestion: readonly SimulatedNode<'ingestion'>[];
  query: readonly SimulatedNode<'query'>[];
  reembedding: readonly SimulatedNode<'reembedding'>[];
}>;

const AGAIN_MS = 300;
const READ_TIMEOUT_MS = 5_000;
/** Share of the changes that delete the document. */
const DELETIONS = 0.3;

/** Sends the requests of all tenants, repeats those without an answer, and checks every answer. */
export class Client {
  readonly #cluster: Cluster;
  readonly #fleet: Fleet;
  readonly #tenants: readonly ClientTenant[];
  #correlations = 0;

  constructor(cluster: Cluster, fleet: Fleet, tenants: readonly ClientTenant[]) {
    [this.#cluster, this.#fleet, this.#tenants] = [cluster, fleet, tenants];
  }

  /** Repeats a request until it is answered. `isDone`: errors that mean that an earlier attempt had an effect. */
  async insist<T>(
    label: string,
    send: () => Promise<Answer<T>>,
    isDone: (error: unknown) => boolean = () => false,
  ): Promise<T | undefined> {
    for (;;) {
      const answer = await send();
      if (answer.outcome === 'ok') return answer.value;
      if (answer.outcome === 'refused' && answer.error !== undefined) {
        if (isDone(answer.error)) return undefined;
        this.#expectRetryable(label, answer.error);
      }
      await this.#cluster.world.sleep(AGAIN_MS * (1 + this.#cluster.world.prng.next()));
    }
  }

  async createBase({ access }: ClientTenant): Promise<void> {
    const settings = { name: 'Handbook', description: '', chunking: chunkingSettings({ markdown: { maxChars: 200 } }) };
    await this.insist(
      'create',
      () =>
        this.#writer().request(`${access.tenant} creates ${BASE}`, ({ platform }) =>
          platform.buses.execute(new CreateKnowledgeBase(this.#caller(access), { id: BASE, scope: SCOPE, settings })),
        ),
      (error) => isCode(error, 'Conflict'),
    );
  }

  /** All changes of one document, one after the other. */
  async change(document: ClientDocument, changes: number, withinMs: number): Promise<void> {
    const { world } = this.#cluster;
    for (let i = 0; i < changes; i++) {
      await world.sleep(world.prng.between(0, (1.5 * withinMs) / changes));
      if (document.current !== undefined && world.prng.chance(DELETIONS)) await this.#remove(document);
      else await this.#submit(document, document.next(world.prng));
    }
  }

  async #submit(document: ClientDocument, content: Content): Promise<void> {
    const { access, source } = document;
    const input = {
      knowledgeBase: BASE,
      sourceId: sourceId(source),
      bytes: Buffer.from(content.text),
      labels: {},
      origin: 'UserContent' as const,
    };
    const documents = [{ name: source, document: () => input }];
    const answer = await this.insist('submit', () =>
      this.#writer().request(`${access.tenant} submits ${source}: ${content.words.join(' ')}`, ({ platform }) =>
        platform.buses.execute(new SubmitDocuments(this.#caller(access), { documents })),
      ),
    );
    const submitted = answer?.submitted[0];
    if (submitted === undefined) return;
    document.id = submitted.documentId;
    document.current = content;
    await this.#expectOnLog(document, 'DocumentSubmitted', submitted.position, submitted.version);
  }

  async #remove(document: ClientDocument): Promise<void> {
    const { access, source, id, current } = document;
    if (id === undefined || current === undefined) return;
    const position = await this.insist(
      'delete',
      () =>
        this.#writer().request(`${access.tenant} deletes ${source}`, ({ platform }) =>
          platform.buses.execute(new DeleteDocument(this.#caller(access), { id })),
        ),
      (error) => error instanceof NotFound,
    );
    document.current = undefined;
    if (position === undefined) return;
    await this.#expectOnLog(document, 'DocumentDeleted', position);
    await this.#expectGone(document, current.words, position);
  }

  /** Acknowledged means durable. */
  async #expectOnLog({ id, source, tenant }: ClientDocument, type: string, position: Position, version?: number): Promise<void> {
    for await (const { data, position: at } of this.#cluster.log.readAll({ types: [type] }))
      if (data['documentId'] === id && at <= position && (version === undefined || data['version'] === version)) return;
    this.#cluster.violation(`acknowledged, but not on the log: ${type} of ${tenant}/${source} at ${position}`);
  }

  /** A reader that waits for the position of a deletion no longer sees the text. */
  async #expectGone(document: ClientDocument, words: readonly string[], position: Position): Promise<void> {
    const node = this.#cluster.world.prng.pick(this.#fleet.query);
    const query = this.#cluster.world.prng.pick(words);
    const answer = await node.request(`${document.tenant} reads ${query} after its deletion`, async ({ platform }) =>
      (await platform.readModels.reached(position, READ_TIMEOUT_MS))
        ? platform.buses.execute(this.#searching(document.access, query))
        : undefined,
    );
    if (answer.outcome === 'refused' && answer.error !== undefined) this.#expectRetryable('search', answer.error);
    if (answer.outcome !== 'ok' || answer.value === undefined) return;
    this.#check(document.access, answer.value.hits);
    if (answer.value.hits.some(({ text }) => text.includes(query)))
      this.#cluster.violation(`${node.name} shows "${query}" of ${document.tenant}/${document.source} after the position of its deletion`);
  }

  /** Searches now and then, also for words of the other tenant. */
  async read(untilMs: number): Promise<void> {
    const { world } = this.#cluster;
    for (;;) {
      await world.sleep(world.prng.between(1_000, 4_000));
      if (world.now > untilMs) return;
      const { access } = world.prng.pick(this.#tenants);
      const words = this.#tenants.flatMap(({ documents }) => documents.flatMap(({ everSubmitted }) => [...everSubmitted]));
      if (words.length > 0) await this.search(world.prng.pick(this.#fleet.query), access, world.prng.pick(words));
    }
  }

  /** The hits; undefined if there was no answer. */
  async search(node: SimulatedNode<'query'>, access: Access, query: string): Promise<readonly SearchHit[] | undefined> {
    const answer = await node.request(`${access.tenant} searches ${query}`, ({ platform }) =>
      platform.buses.execute(this.#searching(access, query)),
    );
    if (answer.outcome === 'refused' && answer.error !== undefined) this.#expectRetryable('search', answer.error);
    if (answer.outcome !== 'ok') return undefined;
    this.#check(access, answer.value.hits);
    return answer.value.hits;
  }

  /** A hit belongs to the tenant, and shows only what its owner submitted. */
  #check(access: Access, hits: readonly SearchHit[]): void {
    for (const { text, documentId } of hits) {
      const owner = this.#tenants.find(({ access: { tenant } }) => tenant === access.tenant);
      const word = text.trim().split(/\s+/).at(-1) ?? '';
      if (owner?.documents.some(({ everSubmitted }) => everSubmitted.has(word)) !== true)
        this.#cluster.violation(`${access.tenant} was shown "${word}" of document ${documentId}`);
    }
  }

  #expectRetryable(label: string, error: unknown): void {
    if (error instanceof KnowledgeError && (error.retryable || error.code === 'Conflict')) return;
    this.#cluster.violation(`${label} failed: ${String(error)}`);
  }

  #writer(): SimulatedNode<'ingestion'> {
    return this.#cluster.world.prng.pick(this.#fleet.ingestion);
  }

  #searching(access: Access, text: string): SearchKnowledge {
    return new SearchKnowledge(this.#caller(access), searchRequest({ query: text, topK: 5 }));
  }

  #caller(access: Access): Caller {
    return { access, correlationId: `request-${this.#correlations++}` };
  }
}

export const isCode = (error: unknown, code: string): boolean => error instanceof KnowledgeError && error.code === code;
