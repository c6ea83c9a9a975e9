import { createHash } from 'node:crypto';
import { sealing, sealText, sealVectors, toBase64, type SealedVectors, type Journal } from '@palimpsest/contracts';
import {
  activeGeneration,
  document,
  documentStream,
  knowledgeBase,
  knowledgeBaseStream,
  liveGenerations,
  scope as scopeDecider,
  scopeStream,
  DOCUMENT_RANGES,
} from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { blobKey } from '@palimpsest/knowledge/ports';
import {
  recipeWith,
  chunkId,
  chunkingVersion,
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  sha256,
  sourceId,
  tenantId,
  UNKNOWN_ANALYSER,
  vectorScope,
} from '@palimpsest/knowledge/values';
import type { DocumentCommand, Generation, IndexingResult, KnowledgeBaseCommand, ScopeCommand } from '@palimpsest/knowledge/deciders';
import type { EventMetadata, KnowledgeChunkIndexed, KnowledgeChunkReembedded } from '@palimpsest/knowledge/events';
import type { EventLog, ScopeCipher, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { SubjectId, SubjectKey } from '@palimpsest/knowledge/subjects';
import type {
  ChunkId,
  ChunkingRecipe,
  ChunkListId,
  DocumentId,
  EmbeddingVersion,
  GenerationId,
  KnowledgeBaseId,
  TenantScope,
} from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider } from '../fake-embeddings.ts';
import { aJournal } from '../in-memory/a-journal.ts';

const digest = (...parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

export const SCOPE: TenantScope = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const BASE = knowledgeBaseId('handbook');
export const MODELS: readonly [EmbeddingVersion, ...EmbeddingVersion[]] = [
  embeddingVersion('fake:one/8'),
  embeddingVersion('fake:two/8'),
  embeddingVersion('fake:three/8'),
];
const chunking = {
  markdown: { maxChars: 1500 },
  tokens: { maxTokens: 500, overlap: 50, minTokens: 100 },
  sheets: { maxChars: 1500 },
  code: { maxChars: 1500, overlap: 200 },
};

export const theDocument = (name: string): DocumentId => documentId(digest('document', name).slice(0, 32));
export const theChunk = (name: string, text: string): ChunkId => chunkId(digest('chunk', name, text).slice(0, 32));

type Without<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;
export type ScenarioScopeCommand = Without<ScopeCommand, 'scope' | 'now'>;

/** `language`: of the document and its new chunks; default `en`. */
export type Contents = Readonly<{
  texts: readonly string[];
  label?: string;
  property?: string;
  language?: string;
  models?: readonly EmbeddingVersion[];
}>;

/** The data subject whom documents of that name are about, if there is one. */
type About = (name: string) => Readonly<{ id: SubjectId; key: SubjectKey }> | undefined;

/** Writes events through the real deciders and codec, as ingestion and re-embedding would. */
export class Scenario {
  readonly journal: Journal;
  readonly #keys: ScopeKeys;
  readonly #where: TenantScope;
  readonly #about: About;
  readonly #submitted = new Map<string, KnowledgeBaseId>();
  /** Knowledge bases that were archived or deleted. */
  #ended = 0;
  #minute = 0;

  constructor(log: EventLog, keys: ScopeKeys, where = SCOPE, about: About = () => undefined) {
    this.journal = aJournal(log, keys);
    this.#keys = keys;
    this.#where = where;
    this.#about = about;
  }

  async begin(): Promise<this> {
    await this.scope({ type: 'Open', recipe: recipeWith({ version: MODELS[0] }) });
    await this.base('Create');
    return this;
  }

  /** A name that other scopes and knowledge bases do not have: a document is never in two of them. */
  nameOf(name: string): string {
    const place = this.#where === SCOPE ? [] : [this.#where.tenant, this.#where.scope];
    return [name, ...place, ...(this.#ended === 0 ? [] : [this.#ended])].join(' ');
  }

  /** All that were ever submitted. */
  documents(): readonly DocumentId[] {
    return [...this.#submitted.keys()].map(theDocument);
  }

  async base(type: 'Create' | 'Pause' | 'Resume'): Promise<void> {
    await this.#base({ type, settings: { name: 'Handbook', description: '', chunking } });
  }

  /** Archives the knowledge base, or deletes it with its documents. Later documents are submitted to a new one. */
  async baseEnded(how: 'archived' | 'deleted'): Promise<void> {
    const ending = this.#baseId();
    if (how === 'archived') {
      await this.base('Resume');
      await this.#base({ type: 'Archive' });
    } else {
      await this.#base({ type: 'RequestDeletion' });
      await this.deletedWhere((_, base) => base === ending);
      await this.#base({ type: 'CompleteDeletion' });
    }
    this.#ended++;
    await this.base('Create');
  }

  /** Submitted, embedded with `models` (default: those of all live generations), and indexed. */
  async indexed(name: string, contents: Contents): Promise<void> {
    await this.submitted(name, contents);
    await this.processed(name, contents);
    await this.completed(name, contents);
  }

  async submitted(name: string, { texts, label = '', property = '', language = 'en' }: Contents): Promise<void> {
    const checksum = sha256(digest(texts, property));
    const subject = this.#about(name)?.id;
    this.#submitted.set(name, this.#baseId());
    await this.#document(name, {
      type: 'Submit',
      submission: {
        knowledgeBase: this.#baseId(),
        sourceId: sourceId(`${name}.md`),
        blob: blobKey(`documents/${checksum}`),
        bytes: 10,
        checksum,
        fingerprint: sha256(digest(texts, label, property, language)),
        labels: label === '' ? {} : { label },
        origin: 'UserContent',
        ...(subject === undefined ? {} : { subject }),
      },
    });
  }

  /** The latest version once more: it is skipped if it is indexed. */
  async submittedAgain(name: string): Promise<void> {
    const { state } = await this.journal.load(document, documentStream(this.#where.tenant, theDocument(name)));
    if (state.submission) await this.#document(name, { type: 'Submit', submission: state.submission });
  }

  /** Records only the chunks; the document is not indexed. */
  async processed(name: string, { texts, models, language = 'en' }: Contents): Promise<void> {
    await this.#document(name, { type: 'StartProcessing', version: await this.versionOf(name) });
    const [first = MODELS[0], ...others] = models ?? (await this.#liveModels());
    await this.#record(name, texts, first, language);
    for (const other of others) await this.#record(name, texts, other, language);
    for (const list of await this.#otherLists()) await this.#recordList(name, texts, list, language);
  }

  async completed(name: string, { texts, property = '', language = 'en' }: Contents): Promise<void> {
    const metadata: Record<string, string> = property === '' ? {} : { property };
    const resultOf = (chunkList: ChunkListId, of: readonly string[]): IndexingResult => ({
      chunkList,
      title: name,
      mediaType: 'text/plain',
      language,
      chunkingVersion: chunkingVersion('markdown@1'),
      metadata,
      chunks: of.map((text, i) => ({ chunkId: theChunk(name, text), start: 10 * i, end: 10 * i + 9, fromLine: i + 1, toLine: i + 1 })),
      failedChunks: 0,
      warnings: [],
    });
    const others = (await this.#otherLists()).map((list) => ({ ...resultOf(list, otherTexts(texts)), whole: true }));
    const result = resultOf(DEFAULT_CHUNK_LIST, texts);
    await this.#document(name, { type: 'CompleteIndexing', version: await this.versionOf(name), result, others });
  }

  /** Makes the chunk lists that the version lacks that searches see, as a swap does. */
  async relisted(name: string): Promise<void> {
    const { state } = await this.journal.load(document, documentStream(this.#where.tenant, theDocument(name)));
    const known = state.lists.get(DEFAULT_CHUNK_LIST);
    if (!known) return;
    const texts = ALL_TEXTS.filter((text) => known.chunkIds.includes(theChunk(name, text)));
    const { title, mediaType, language, chunkingVersion: version, metadata, warnings, failedChunks } = known.indexed;
    for (const chunkList of await this.#otherLists()) {
      await this.#recordList(name, texts, chunkList, language, known.version);
      const chunks = otherTexts(texts).map((text, i) => ({ chunkId: theChunk(name, text), start: i, end: i + 1, fromLine: 1, toLine: 1 }));
      const attributes = { title, mediaType, language, chunkingVersion: version, metadata, warnings, failedChunks };
      const result: IndexingResult = { chunkList, whole: true, ...attributes, chunks };
      await this.#document(name, { type: 'CompleteIndexing', version: known.version, result });
    }
  }

  /** `und` removes the declaration. */
  async declared(language: string): Promise<void> {
    await this.#base({ type: 'Configure', settings: { name: 'Handbook', description: '', chunking, language } });
  }

  async failed(name: string): Promise<void> {
    await this.#document(name, { type: 'Fail', version: await this.versionOf(name), reason: 'corrupt', detail: 'It cannot be read.' });
  }

  async deleted(name: string): Promise<void> {
    await this.#document(name, { type: 'Delete' });
  }

  async deletedWhere(is: (name: string, base: KnowledgeBaseId) => boolean): Promise<void> {
    for (const [name, base] of this.#submitted) if (is(name, base)) await this.deleted(name);
  }

  /** Records the missing vectors of all indexed chunks for all live generations. */
  async reembedded(name: string, models?: readonly EmbeddingVersion[]): Promise<void> {
    const texts = new Map<ChunkId, string>();
    for (const text of ALL_TEXTS) texts.set(theChunk(name, text), text);
    for (const { model, lacking } of await this.#lacking(name, models)) {
      const events = await Promise.all(lacking.map(([id, textAt]) => this.#reembeddedChunk(name, texts.get(id) ?? '', model, textAt)));
      await this.#document(name, { type: 'RecordReembedding', events });
    }
  }

  /** The models refuse these chunks instead. */
  async refused(name: string): Promise<void> {
    for (const { model, lacking } of await this.#lacking(name)) {
      const about = { documentId: theDocument(name), embeddingVersion: model, reason: 'The model refused it.' };
      const events = lacking.map(([id]) => ({ type: 'KnowledgeChunkReembedFailed', data: { ...about, chunkId: id } }));
      await this.#document(name, { type: 'RecordReembedding', events });
    }
  }

  /** The indexed chunks that have no vector of a model, with the revision of their text. */
  async #lacking(name: string, models?: readonly EmbeddingVersion[]) {
    const { state } = await this.journal.load(document, documentStream(this.#where.tenant, theDocument(name)));
    const listed = [...new Set([...state.lists.values()].flatMap(({ chunkIds }) => chunkIds))];
    return (models ?? (await this.#liveModels()))
      .map((model) => ({
        model,
        lacking: listed
          .filter((id) => !state.recorded.get(id)?.vectors.has(model))
          .map((id) => [id, state.recorded.get(id)?.textAt ?? 0] as const),
      }))
      .filter(({ lacking }) => lacking.length > 0);
  }

  async generationStarted(model: EmbeddingVersion, chunking?: ChunkingRecipe): Promise<void> {
    await this.scope({ type: 'StartGeneration', recipe: recipeWith({ version: model }, UNKNOWN_ANALYSER, chunking) });
  }

  async generations(): Promise<readonly Generation[]> {
    return (await this.journal.load(scopeDecider, scopeStream(this.#where))).state.generations;
  }

  async active(): Promise<Generation | undefined> {
    return activeGeneration((await this.journal.load(scopeDecider, scopeStream(this.#where))).state);
  }

  /** Ignores rejections that random histories cause, which a caller would get as errors. */
  async scope(command: ScenarioScopeCommand): Promise<void> {
    if (command.type === 'Activate') await this.#built(command.generation);
    await this.journal
      .execute(
        scopeDecider,
        scopeStream(this.#where),
        { ...command, scope: this.#where.scope, now: this.#now() } as ScopeCommand,
        this.#metadata(),
      )
      .catch(refusal);
  }

  /** Records what a worker records, so that the generation can be activated. */
  async #built(generation: GenerationId): Promise<void> {
    if ((await this.generations()).find(({ id }) => id === generation)?.status !== 'building') return;
    const counts = { chunks: 0, withoutVector: 0, tokens: 0 };
    for (let range = 0; range < DOCUMENT_RANGES; range++) await this.scope({ type: 'RecordRange', generation, range, counts });
    await this.scope({ type: 'RecordBuilt', generation, counts: { chunks: 0, withoutVector: 0, upTo: '0' } });
  }

  async versionOf(name: string): Promise<number> {
    return (await this.journal.load(document, documentStream(this.#where.tenant, theDocument(name)))).state.version;
  }

  async #document(name: string, command: Readonly<{ type: DocumentCommand['type'] }> & Record<string, unknown>): Promise<void> {
    const full = { ...command, documentId: theDocument(name), now: this.#now() } as unknown as DocumentCommand;
    await this.journal.execute(document, documentStream(this.#where.tenant, theDocument(name)), full, this.#metadata(name)).catch(refusal);
  }

  async #base(command: Readonly<{ type: KnowledgeBaseCommand['type'] }> & Record<string, unknown>): Promise<void> {
    const id = this.#baseId();
    const full = { ...command, id, scope: this.#where.scope, now: this.#now() } as unknown as KnowledgeBaseCommand;
    await this.journal.execute(knowledgeBase, knowledgeBaseStream(this.#where.tenant, id), full, this.#metadata()).catch(refusal);
  }

  async #otherLists(): Promise<readonly ChunkListId[]> {
    const { state } = await this.journal.load(scopeDecider, scopeStream(this.#where));
    const lists = liveGenerations(state).map(({ recipe }) => chunkListOf(recipe.chunking));
    return [...new Set(lists)].filter((list) => list !== DEFAULT_CHUNK_LIST);
  }

  async #recordList(name: string, texts: readonly string[], list: ChunkListId, language: string, version?: number): Promise<void> {
    for (const model of await this.#liveModels()) await this.#record(name, otherTexts(texts), model, language, { list, version });
  }

  async #record(
    name: string,
    texts: readonly string[],
    model: EmbeddingVersion,
    language: string,
    { list = DEFAULT_CHUNK_LIST, version }: Readonly<{ list?: ChunkListId; version?: number | undefined }> = {},
  ): Promise<void> {
    const { state } = await this.journal.load(document, documentStream(this.#where.tenant, theDocument(name)));
    const chunks: (KnowledgeChunkIndexed | KnowledgeChunkReembedded)[] = [];
    for (const [index, text] of texts.entries()) {
      const known = state.recorded.get(theChunk(name, text));
      if (known?.vectors.has(model)) continue;
      chunks.push(
        known
          ? await this.#reembeddedChunk(name, text, model, known.textAt)
          : await this.#indexedChunk(name, text, model, { index, of: texts.length, language }),
      );
    }
    if (chunks.length > 0)
      await this.#document(name, { type: 'RecordChunks', version: version ?? state.version, chunkList: list, whole: true, chunks });
  }

  async #indexedChunk(
    name: string,
    text: string,
    model: EmbeddingVersion,
    { index, of, language }: Readonly<{ index: number; of: number; language: string }>,
  ): Promise<KnowledgeChunkIndexed> {
    const id = theChunk(name, text);
    const cipher = await this.#cipher(name);
    return {
      type: 'KnowledgeChunkIndexed',
      data: {
        documentId: theDocument(name),
        version: await this.versionOf(name),
        chunkId: id,
        index,
        of,
        start: 10 * index,
        end: 10 * index + 9,
        fromLine: index + 1,
        toLine: index + 1,
        contentHash: sha256(digest('content', text)),
        sealedText: toBase64(sealText(cipher, id, { text, contextPrefix: '', headings: [] })),
        ...(await this.#vectors(name, id, text, model)),
        embeddingVersion: model,
        chunkingVersion: chunkingVersion('markdown@1'),
        language,
        origin: 'UserContent',
        tokens: 1,
        truncated: false,
      },
    };
  }

  async #reembeddedChunk(name: string, text: string, model: EmbeddingVersion, madeFrom: number): Promise<KnowledgeChunkReembedded> {
    const id = theChunk(name, text);
    const data = {
      documentId: theDocument(name),
      chunkId: id,
      embeddingVersion: model,
      ...(await this.#vectors(name, id, text, model)),
      madeFrom,
      tokens: 1,
      truncated: false,
    };
    return { type: 'KnowledgeChunkReembedded', data };
  }

  /** Texts with an "e" count as too long for one vector. */
  async #vectors(name: string, id: ChunkId, text: string, version: EmbeddingVersion): Promise<SealedVectors> {
    const windows = text.includes('e') ? [text, `${text} again`, `more of ${text}`] : [text];
    const [first, ...others] = await aFakeEmbeddingProvider({ version }).embed(windows, 'passage');
    const vectors = { vector: first?.vector ?? new Float32Array(), further: others.map(({ vector }) => vector) };
    return sealVectors(await this.#cipher(name), id, version, vectors);
  }

  async #liveModels(): Promise<readonly EmbeddingVersion[]> {
    const { state } = await this.journal.load(scopeDecider, scopeStream(this.#where));
    return [...new Set(liveGenerations(state).map(({ embeddingVersion: version }) => version))];
  }

  /** One at a time per scope, with a name that is unique within the tenant. */
  #baseId(): KnowledgeBaseId {
    const place = this.#where === SCOPE ? [] : [this.#where.scope.replace(':', '-')];
    return knowledgeBaseId([BASE, ...place, ...(this.#ended === 0 ? [] : [this.#ended])].join('-'));
  }

  #metadata(name = ''): EventMetadata {
    return { ...sealing(this.#where, this.#about(name)?.key), actor: 'scenario', correlationId: 'scenario' };
  }

  #cipher(name: string): Promise<ScopeCipher> {
    return this.#keys.cipher(sealing(this.#where, this.#about(name)?.key));
  }

  #now(): string {
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();
  }
}

/** The other chunking of the same text: it shares chunks with the first. */
const otherTexts = (texts: readonly string[]): readonly string[] => [...texts.slice(1), 'fjord'];

/** The texts that documents may contain, so that `reembedded` can look them up. */
export const ALL_TEXTS = ['apple', 'berry', 'cedar', 'dune', 'ember', 'fjord'] as const;

const refusal = (error: unknown): void => {
  if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error;
};
