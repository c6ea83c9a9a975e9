import { chunkingSettings, GROUPS, TOPICS, type ProcessDocument as Work, type Reembed, type Journal } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import { document, documentStream } from '@palimpsest/knowledge/deciders';
import type { DocumentEvent, Fact } from '@palimpsest/knowledge/events';
import { UNLIMITED, type QuotaPolicy } from '@palimpsest/knowledge/limits';
import type {
  DocumentParser,
  EmbeddingProvider,
  EmbeddingProviders,
  EventLog,
  MessageBus,
  ParseInput,
  ParseOutcome,
} from '@palimpsest/knowledge/ports';
import type { Catalog, LanguageCount } from '@palimpsest/knowledge/read-models';
import { recipeWith, knowledgeBaseId, sourceId, START, tenantId, vectorScope, type DocumentId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import {
  aJournal,
  aFakeEmbeddingProvider,
  aRegisteredModel,
  InMemoryBlobStore,
  InMemoryEventLog,
  InMemoryScopeKeys,
  type FakeEmbeddingProvider,
} from '@palimpsest/test-kit';
import { Backlog } from '../src/backlog.ts';
import { KnowledgeBases } from '../src/knowledge-bases/knowledge-bases.ts';
import { MainLanguages } from '../src/processing/main-languages.ts';
import { ProcessDocument } from '../src/processing/process-document.ts';
import { DeleteDocumentHandler } from '../src/submission/delete-document.ts';
import { SubmitDocument, type NewDocument, type Submitted } from '../src/submission/submit-document.ts';
import { SubmitDocuments, SubmitDocumentsHandler } from '../src/submission/submit-documents.ts';
import { aMarkdown } from './documents.ts';

export const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const BASE = knowledgeBaseId('handbook');
export const WRITER: Access = { tenant: SCOPE.tenant, teams: ['red'], roles: ['writer'], actor: 'key-1' };

/** Each title becomes one chunk: a heading with enough words that it is not joined with others. */
export const sections = (...titles: readonly string[]): string =>
  titles.map((title) => `# ${title}\n\n${`${title.toLowerCase()} `.repeat(18)}\n`).join('\n');

/** Parses Markdown. A file that starts with "!" is rejected for the reason that follows. */
class PlainParser implements DocumentParser {
  readonly parsed: ParseInput[] = [];
  language = 'en';
  /** Called before a file is parsed. */
  before: (input: ParseInput, onSlow: () => void) => Promise<void> = () => Promise.resolve();

  async parse(input: ParseInput, _signal?: AbortSignal, onSlow: () => void = () => undefined): Promise<ParseOutcome> {
    this.parsed.push(input);
    await this.before(input, onSlow);
    const text = Buffer.from(input.bytes).toString();
    if (text.startsWith('!')) return { outcome: 'rejected', reason: text.slice(1) as 'corrupt', detail: 'It cannot be read.' };
    return { outcome: 'parsed', document: aMarkdown(text, { title: 'From the text', language: this.language }) };
  }

  async close(): Promise<void> {
    // Nothing to release.
  }
}

export const providersOf = (current: EmbeddingProvider, ...others: readonly EmbeddingProvider[]): EmbeddingProviders => ({
  current,
  of: (version) => [current, ...others].find((provider) => provider.version === version),
  versions: () => [current, ...others].map(({ version }) => version),
  recipeOf: (version) => recipeWith({ version }),
  models: () => [current, ...others].map(({ version }) => aRegisteredModel(version)),
});

export type WorldOptions = Readonly<{
  capacity?: number;
  maxBytes?: number;
  provider?: FakeEmbeddingProvider;
  others?: readonly EmbeddingProvider[];
  log?: EventLog;
  quotaPolicy?: QuotaPolicy;
}>;

/** Everything that ingestion needs, in memory. The bus is only the lag that a test sets. */
export class World {
  readonly log: EventLog;
  readonly blobs = new InMemoryBlobStore();
  readonly keys = new InMemoryScopeKeys();
  readonly parser = new PlainParser();
  readonly requested: Reembed[] = [];
  /** The languages of the scope's documents, as the catalog counts them. */
  languages: readonly LanguageCount[] = [];
  provider: FakeEmbeddingProvider;
  others: readonly EmbeddingProvider[];
  quotaPolicy: QuotaPolicy;
  waiting = 0;
  #minute = 0;
  readonly #backlog: Backlog;
  readonly #maxBytes: number;

  constructor({
    capacity = 100,
    maxBytes = 1_000_000,
    provider = aFakeEmbeddingProvider(),
    others = [],
    log = new InMemoryEventLog(),
    quotaPolicy = UNLIMITED,
  }: WorldOptions = {}) {
    this.quotaPolicy = quotaPolicy;
    this.log = log;
    this.provider = provider;
    this.others = others;
    this.#maxBytes = maxBytes;
    const lag: MessageBus['lag'] = async (topic, group) => (topic === TOPICS.ingestion && group === GROUPS.ingestion ? this.waiting : 0);
    // The catalog never catches up, so submitted documents stay counted, however slow the test runs.
    const documentCounts: Catalog['documentCounts'] = async () => ({ pending: 0, processing: 0, indexed: 0, failed: 0, total: 0, held: 0 });
    this.#backlog = new Backlog({ bus: { lag }, catalog: { documentCounts, position: async () => START } }, capacity);
  }

  readonly now = (): string => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();

  get journal(): Journal {
    return aJournal(this.log, this.keys);
  }

  get providers(): EmbeddingProviders {
    return providersOf(this.provider, ...this.others);
  }

  get knowledgeBases(): KnowledgeBases {
    return new KnowledgeBases(this.journal, this.providers, this.quotaPolicy, this.now);
  }

  get submitDocument(): SubmitDocument {
    const { journal, blobs, keys, knowledgeBases, quotaPolicy, now } = this;
    return new SubmitDocument({ quotaPolicy, journal, blobs, keys, knowledgeBases, now, backlog: this.#backlog, maxBytes: this.#maxBytes });
  }

  get deleteDocument(): DeleteDocumentHandler {
    return new DeleteDocumentHandler(this.journal, this.knowledgeBases, this.now);
  }

  /** In the state of a worker that was just started. */
  get processDocument(): ProcessDocument {
    const { journal, blobs, keys, parser, providers, quotaPolicy, now } = this;
    return new ProcessDocument({
      quotaPolicy,
      journal,
      blobs,
      keys,
      parser,
      providers,
      languages: new MainLanguages({ languages: async () => this.languages }),
      now,
      requestReembedding: async (work) => void this.requested.push(work),
    });
  }

  async begin(): Promise<this> {
    const chunking = chunkingSettings({ markdown: { maxChars: 200 } });
    await this.knowledgeBases.create(
      WRITER,
      { id: BASE, scope: SCOPE.scope, settings: { name: 'Handbook', description: '', chunking } },
      'request-0',
    );
    return this;
  }

  /** Like a request with one document. */
  async submit(text: string, over: Partial<NewDocument> = {}, access = WRITER): Promise<Submitted> {
    const document = (): NewDocument => ({
      knowledgeBase: BASE,
      sourceId: sourceId('guide.md'),
      bytes: Buffer.from(text),
      labels: {},
      origin: 'UserContent',
      ...over,
    });
    const noDocuments = { one: async () => Promise.reject(new Error('this world has no catalog')) };
    const buses = new Buses(new SubmitDocumentsHandler(this.submitDocument, noDocuments).handlers, this.quotaPolicy);
    const caller = { access, correlationId: 'request-1' };
    const {
      submitted: [only],
    } = await buses.execute(new SubmitDocuments(caller, { documents: [{ name: 'guide.md', document }] }));
    if (!only) throw new Error('the document was not submitted');
    return only;
  }

  process({ documentId, version }: Pick<Submitted, 'documentId' | 'version'>, signal = new AbortController().signal): Promise<void> {
    return this.processDocument.run(this.work({ documentId, version }), signal);
  }

  work({ documentId, version }: Pick<Submitted, 'documentId' | 'version'>): Work {
    return { ...SCOPE, documentId, version, correlationId: 'request-1' };
  }

  async index(text: string, over: Partial<NewDocument> = {}): Promise<Submitted> {
    const submitted = await this.submit(text, over);
    await this.process(submitted);
    return submitted;
  }

  async state(id: DocumentId) {
    return (await this.journal.load(document, documentStream(SCOPE.tenant, id))).state;
  }

  async facts(id: DocumentId): Promise<readonly Fact<DocumentEvent>[]> {
    const facts: Fact<DocumentEvent>[] = [];
    for await (const fact of this.journal.readStream(documentStream(SCOPE.tenant, id))) facts.push(fact as Fact<DocumentEvent>);
    return facts;
  }

  async types(id: DocumentId): Promise<readonly string[]> {
    return (await this.facts(id)).map(({ event }) => event.type);
  }

  /** How often each text was sent to the model. */
  embedded(provider: FakeEmbeddingProvider = this.provider): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const text of provider.calls.flatMap(({ texts }) => texts)) counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts;
  }
}
