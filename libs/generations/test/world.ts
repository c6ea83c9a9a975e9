import { setImmediate as pause } from 'node:timers/promises';
import { sealText, sealVector, toBase64 } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import {
  activeGeneration,
  document,
  documentStream,
  liveGenerations,
  scope as scopeDecider,
  scopeStream,
  type DocumentCommand,
  type Generation,
  type ScopeCommand,
} from '@palimpsest/knowledge/deciders';
import type { EventMetadata, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import { blobKey, type EmbeddingProvider, type EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { CatalogChange, ReadModels } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  chunkingVersion,
  DEFAULT_CHUNK_LIST,
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type DocumentId,
  type EmbeddingVersion,
} from '@palimpsest/knowledge/values';
import {
  aJournal,
  aFakeEmbeddingProvider,
  aRegisteredModel,
  InMemoryCatalog,
  InMemoryEventLog,
  InMemoryScopeKeys,
  InMemoryVectorIndex,
} from '@palimpsest/test-kit';
import { BuildGeneration, type Run } from '../src/build-generation.ts';
import { ReembedDocument } from '../src/reembed-document.ts';
import { ReembedScope } from '../src/reembed-scope.ts';
import { SwapScope } from '../src/swap-scope.ts';

export const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const ADMIN: Access = { tenant: SCOPE.tenant, teams: ['red'], roles: ['admin'], actor: 'key-1' };
export const [MINI, LARGE, HUGE] = [embeddingVersion('fake:mini/8'), embeddingVersion('fake:large/16'), embeddingVersion('fake:huge/32')];

const METADATA: EventMetadata = { ...SCOPE, actor: 'spec', correlationId: 'spec' };
const hex = (text: string, length: number): string => Buffer.from(text).toString('hex').padStart(length, '0');
type Without<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

export const theDocument = (name: string): DocumentId => documentId(hex(name, 32));
export const theChunk = (name: string, text: string) => chunkId(hex(`${name}/${text}`, 32));

/** A scope with documents that were embedded with MINI; LARGE is the current model. The catalog is updated only by `project`. */
export class World {
  readonly log = new InMemoryEventLog();
  readonly keys = new InMemoryScopeKeys();
  readonly journal = aJournal(this.log, this.keys);
  readonly catalog = new InMemoryCatalog();
  readonly vectors = new InMemoryVectorIndex();
  providers: readonly [EmbeddingProvider, ...EmbeddingProvider[]];
  behind = false;
  /** Number of waits for the read models. */
  waits = 0;
  #minute = 0;
  #elapsed = 0;

  constructor(...providers: readonly EmbeddingProvider[]) {
    const [first = aFakeEmbeddingProvider({ version: LARGE }), ...others] = providers;
    this.providers = [first, ...others];
  }

  readonly now = (): string => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();

  get documents(): ReembedDocument {
    return new ReembedDocument({ journal: this.journal, keys: this.keys, providers: this.#providers() });
  }

  get build(): BuildGeneration {
    const { journal, catalog, documents, now } = this;
    const readModels: ReadModels = { position: () => 0n as never, reached: (_, __, signal) => this.#reached(signal), serving: () => true };
    // Time passes with each reading, so that the state of a swap is read before each batch.
    const elapsed = (): number => (this.#elapsed += 1_000);
    return new BuildGeneration({ journal, catalog, readModels, documents, now, elapsed, providers: this.#providers() });
  }

  get scopes(): ReembedScope {
    const { journal, catalog, vectors, now } = this;
    return new ReembedScope({ journal, catalog, vectors, now, providers: this.#providers() });
  }

  get swaps(): SwapScope {
    const { journal, catalog, now } = this;
    return new SwapScope({ journal, catalog, now, providers: this.#providers() });
  }

  run(signal = new AbortController().signal): Run {
    return { scope: SCOPE, correlationId: 'request-1', signal };
  }

  async begin(): Promise<this> {
    await this.scope({ type: 'Open', recipe: recipeWith({ version: MINI }) });
    return this;
  }

  async scope(command: Without<ScopeCommand, 'scope' | 'now'>): Promise<void> {
    await this.journal.execute(
      scopeDecider,
      scopeStream(SCOPE),
      { ...command, scope: SCOPE.scope, now: this.now() } as ScopeCommand,
      METADATA,
    );
  }

  async indexed(name: string, texts: readonly string[], version: EmbeddingVersion = MINI): Promise<void> {
    const checksum = sha256(hex(texts.join(), 64).slice(0, 64));
    const submission = {
      knowledgeBase: knowledgeBaseId('handbook'),
      sourceId: sourceId(`${name}.md`),
      blob: blobKey('documents/x'),
      bytes: 1,
      checksum,
      fingerprint: checksum,
      labels: {},
      origin: 'UserContent' as const,
    };
    await this.#document(name, { type: 'Submit', submission });
    const { state } = await this.journal.load(document, documentStream(SCOPE.tenant, theDocument(name)));
    const chunks: KnowledgeChunkIndexed[] = [];
    for (const text of texts)
      if (!state.recorded.has(theChunk(name, text))) chunks.push(await this.#chunk(name, text, version, state.version));
    if (chunks.length > 0)
      await this.#document(name, { type: 'RecordChunks', version: state.version, chunkList: DEFAULT_CHUNK_LIST, chunks });
    const result = {
      chunkList: DEFAULT_CHUNK_LIST,
      title: name,
      mediaType: 'text/plain',
      language: 'en',
      chunkingVersion: chunkingVersion('markdown@1'),
      metadata: {},
      failedChunks: 0,
      warnings: [],
      chunks: texts.map((text) => ({ chunkId: theChunk(name, text), start: 0, end: 1, fromLine: 1, toLine: 1 })),
    };
    await this.#document(name, { type: 'CompleteIndexing', version: state.version, result });
  }

  async deleted(name: string): Promise<void> {
    await this.#document(name, { type: 'Delete' });
  }

  /** Models with a vector on the log, for each of these chunks. */
  async models(name: string, ...texts: readonly string[]): Promise<readonly (readonly EmbeddingVersion[])[]> {
    const { state } = await this.journal.load(document, documentStream(SCOPE.tenant, theDocument(name)));
    return texts.map((text) => [...(state.recorded.get(theChunk(name, text))?.vectors.keys() ?? [])]);
  }

  async generations(): Promise<readonly Generation[]> {
    return (await this.journal.load(scopeDecider, scopeStream(SCOPE))).state.generations;
  }

  async active(): Promise<EmbeddingVersion | undefined> {
    const { state } = await this.journal.load(scopeDecider, scopeStream(SCOPE));
    return liveGenerations(state).length > 0 ? activeGeneration(state)?.embeddingVersion : undefined;
  }

  work(signal = new AbortController().signal): Promise<void> {
    return this.build.whole(this.run(signal));
  }

  /** Resolves after this number of waits for the read models. */
  async waited(times: number): Promise<void> {
    while (this.waits < times) await pause();
  }

  async #reached(signal?: AbortSignal): Promise<boolean> {
    do {
      this.waits++;
      await pause();
    } while (this.behind && signal?.aborted !== true);
    return !this.behind && (await this.project());
  }

  #providers(): EmbeddingProviders {
    const [current] = this.providers;
    return {
      current,
      of: (version) => this.providers.find((provider) => provider.version === version),
      versions: () => this.providers.map(({ version }) => version),
      recipeOf: (version) => recipeWith({ version }),
      models: () => this.providers.map(({ version }) => aRegisteredModel(version)),
    };
  }

  /** The part of a projection that re-embedding needs: indexed documents and the active generation. */
  async project(): Promise<boolean> {
    const known = await this.catalog.position();
    const changes: CatalogChange[] = [];
    let upTo = known;
    for await (const { event, position } of this.journal.readAll()) {
      upTo = position;
      if (position <= known) continue;
      if (event.type === 'DocumentSubmitted') {
        const { documentId: id, knowledgeBase, sourceId: source, version, bytes, checksum, labels, origin } = event.data;
        changes.push({
          change: 'document-submitted',
          ...SCOPE,
          documentId: id,
          knowledgeBase,
          sourceId: source,
          version,
          title: '',
          mediaType: '',
          bytes,
          checksum,
          labels,
          origin,
          at: '',
        });
      }
      if (event.type === 'DocumentIndexed') {
        const { indexedAt, written: _written, removed: _removed, ...data } = event.data;
        const contents = data.chunks.map(({ chunkId: id }) => ({
          chunkId: id,
          contentHash: data.checksum,
          sealedText: Uint8Array.of(1),
          language: 'en',
        }));
        changes.push({ change: 'document-indexed', ...SCOPE, ...data, at: indexedAt, contents });
      }
      if (event.type === 'GenerationStarted') {
        const { generation: id, recipe } = event.data;
        changes.push({
          change: 'generation',
          scope: SCOPE,
          generation: { id, embeddingVersion: recipe.embedding.version, recipe, status: 'building' },
        });
      }
      if (event.type === 'GenerationBuilt') changes.push({ change: 'generation-built', scope: SCOPE, id: event.data.generation });
      if (event.type === 'GenerationActivated') changes.push({ change: 'generation-activated', scope: SCOPE, id: event.data.generation });
      if (event.type === 'DocumentDeleted')
        changes.push({ change: 'document-deleted', tenant: SCOPE.tenant, documentId: event.data.documentId });
    }
    await this.catalog.apply(changes, upTo);
    return true;
  }

  async #chunk(name: string, text: string, version: EmbeddingVersion, ofVersion: number): Promise<KnowledgeChunkIndexed> {
    const [id, cipher] = [theChunk(name, text), await this.keys.cipher(SCOPE)];
    const [embedding] = await aFakeEmbeddingProvider({ version }).embed([text], 'passage');
    return {
      type: 'KnowledgeChunkIndexed',
      data: {
        documentId: theDocument(name),
        version: ofVersion,
        chunkId: id,
        index: 0,
        of: 1,
        start: 0,
        end: 1,
        fromLine: 1,
        toLine: 1,
        contentHash: sha256(hex(text, 64)),
        sealedText: toBase64(sealText(cipher, id, { text, contextPrefix: '', headings: [] })),
        sealedVector: toBase64(sealVector(cipher, id, version, embedding?.vector ?? new Float32Array())),
        embeddingVersion: version,
        chunkingVersion: chunkingVersion('markdown@1'),
        language: 'en',
        origin: 'UserContent',
        tokens: 1,
        truncated: false,
      },
    };
  }

  async #document(name: string, command: Without<DocumentCommand, 'documentId' | 'now'>): Promise<void> {
    await this.journal.execute(
      document,
      documentStream(SCOPE.tenant, theDocument(name)),
      { ...command, documentId: theDocument(name), now: this.now() } as DocumentCommand,
      METADATA,
    );
  }
}
