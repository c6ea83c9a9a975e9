import { GROUPS, Journal, TOPICS, type ProcessDocument as Work, type Reembed } from '@palimpsest/contracts';
import {
  document, documentStream, knowledgeBaseId, sourceId, tenantId, UNLIMITED, vectorScope,
  type Access, type Admission, type Catalog, type DocumentEvent, type DocumentId, type DocumentParser, type EmbeddingProvider, type EmbeddingProviders, type EventLog, type Fact, type LanguageCount, type MessageBus, type ParseInput, type ParseOutcome,
} from '@palimpsest/knowledge';
import { aFakeEmbeddingProvider, InMemoryBlobStore, InMemoryEventLog, InMemoryScopeKeys, type FakeEmbeddingProvider } from '@palimpsest/test-kit';
import { Backlog } from '../src/backlog.ts';
import { chunkingSettings } from '../src/chunking/chunking-settings.ts';
import { KnowledgeBases } from '../src/knowledge-bases/knowledge-bases.ts';
import { MainLanguages } from '../src/processing/main-languages.ts';
import { ProcessDocument } from '../src/processing/process-document.ts';
import { DeleteDocument } from '../src/submission/delete-document.ts';
import { SubmitDocument, type NewDocument, type Submitted } from '../src/submission/submit-document.ts';
import { aMarkdown } from './documents.ts';

export const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const BASE = knowledgeBaseId('handbook');
export const WRITER: Access = { tenant: SCOPE.tenant, teams: ['red'], roles: ['writer'], actor: 'key-1' };

/** One chunk each: a heading and enough words that it stays by itself. */
export const sections = (...titles: readonly string[]): string => titles.map((title) => `# ${title}\n\n${`${title.toLowerCase()} `.repeat(18)}\n`).join('\n');

/** Reads Markdown; a file that begins with "!" is refused for the reason that follows. */
class PlainParser implements DocumentParser {
  readonly parsed: ParseInput[] = [];
  language = 'en';
  /** What a test has happen before a file is through. */
  before: (input: ParseInput, onSlow: () => void) => Promise<void> = () => Promise.resolve();

  async parse(input: ParseInput, _signal?: AbortSignal, onSlow: () => void = () => undefined): Promise<ParseOutcome> {
    this.parsed.push(input);
    await this.before(input, onSlow);
    const text = Buffer.from(input.bytes).toString();
    if (text.startsWith('!')) return { outcome: 'rejected', reason: text.slice(1) as 'corrupt', detail: 'It cannot be read.' };
    return { outcome: 'parsed', document: aMarkdown(text, { title: 'From the text', language: this.language }) };
  }

  async close(): Promise<void> {
    // Nothing to let go of.
  }
}

export const providersOf = (current: EmbeddingProvider, ...others: readonly EmbeddingProvider[]): EmbeddingProviders => ({
  current,
  of: (version) => [current, ...others].find((provider) => provider.version === version),
  versions: () => [current, ...others].map(({ version }) => version),
});

export type WorldOptions = Readonly<{ capacity?: number; maxBytes?: number; provider?: FakeEmbeddingProvider; others?: readonly EmbeddingProvider[]; log?: EventLog; admission?: Admission }>;

/** Everything that ingestion works with, in memory; the bus is a number that a test sets. */
export class World {
  readonly log: EventLog;
  readonly blobs = new InMemoryBlobStore();
  readonly keys = new InMemoryScopeKeys();
  readonly parser = new PlainParser();
  readonly requested: Reembed[] = [];
  /** What the scope's documents are in, as the catalogue counts them. */
  languages: readonly LanguageCount[] = [];
  provider: FakeEmbeddingProvider;
  others: readonly EmbeddingProvider[];
  admission: Admission;
  waiting = 0;
  #minute = 0;
  readonly #backlog: Backlog;
  readonly #maxBytes: number;

  constructor({ capacity = 100, maxBytes = 1_000_000, provider = aFakeEmbeddingProvider(), others = [], log = new InMemoryEventLog(), admission = UNLIMITED }: WorldOptions = {}) {
    this.admission = admission;
    this.log = log;
    this.provider = provider;
    this.others = others;
    this.#maxBytes = maxBytes;
    const lag: MessageBus['lag'] = async (topic, group) => (topic === TOPICS.ingestion && group === GROUPS.ingestion ? this.waiting : 0);
    const documentCounts: Catalog['documentCounts'] = async () => ({ pending: 0, processing: 0, indexed: 0, failed: 0, total: 0, held: 0 });
    this.#backlog = new Backlog({ bus: { lag }, catalog: { documentCounts, position: () => log.head() } }, capacity);
  }

  readonly now = (): string => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();

  get journal(): Journal {
    return new Journal(this.log);
  }

  get providers(): EmbeddingProviders {
    return providersOf(this.provider, ...this.others);
  }

  get knowledgeBases(): KnowledgeBases {
    return new KnowledgeBases(this.journal, this.providers, this.admission, this.now);
  }

  get submitDocument(): SubmitDocument {
    const { journal, blobs, keys, knowledgeBases, admission, now } = this;
    return new SubmitDocument({ admission, journal, blobs, keys, knowledgeBases, now, backlog: this.#backlog, maxBytes: this.#maxBytes });
  }

  get deleteDocument(): DeleteDocument {
    return new DeleteDocument(this.journal, this.knowledgeBases, this.admission, this.now);
  }

  /** As a worker that was just started has it. */
  get processDocument(): ProcessDocument {
    const { journal, blobs, keys, parser, providers, admission, now } = this;
    return new ProcessDocument({ admission, journal, blobs, keys, parser, providers, languages: new MainLanguages({ languages: async () => this.languages }), now, requestReembedding: async (work) => void this.requested.push(work) });
  }

  async begin(): Promise<this> {
    const chunking = chunkingSettings({ markdown: { maxChars: 200 } });
    await this.knowledgeBases.create(WRITER, { id: BASE, scope: SCOPE.scope, settings: { name: 'Handbook', description: '', chunking } }, 'request-0');
    return this;
  }

  submit(text: string, over: Partial<NewDocument> = {}, access = WRITER): Promise<Submitted> {
    return this.submitDocument.run(access, { knowledgeBase: BASE, sourceId: sourceId('guide.md'), bytes: Buffer.from(text), labels: {}, origin: 'UserContent', ...over }, 'request-1');
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

  /** How often each text was handed to the model. */
  embedded(provider: FakeEmbeddingProvider = this.provider): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const text of provider.calls.flatMap(({ texts }) => texts)) counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts;
  }
}
