import { sealText, searchText } from '@palimpsest/contracts';
import type { Access } from '@palimpsest/knowledge/access';
import type { Generation } from '@palimpsest/knowledge/deciders';
import type { KnowledgeBaseSettings } from '@palimpsest/knowledge/events';
import type { StrategyInUse } from '@palimpsest/knowledge/evaluation';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { HistoryRemoved, InvalidValue } from '@palimpsest/knowledge/errors';
import type { ReadView, Views } from '@palimpsest/knowledge/read-models';
import { asOfText, type PastViews } from '@palimpsest/knowledge/past';
import {
  chunkId,
  chunkingVersion,
  DEFAULT_CHUNK_LIST,
  documentId,
  generationId,
  knowledgeBaseId,
  position,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type EmbeddingVersion,
  type Labels,
  type Position,
  type Recipe,
  type TenantScope,
} from '@palimpsest/knowledge/values';
import {
  aFakeEmbeddingProvider,
  aRegisteredModel,
  InMemoryCatalog,
  InMemoryLexicalIndex,
  InMemoryScopeKeys,
  InMemoryVectorIndex,
  type FakeEmbeddingProvider,
} from '@palimpsest/test-kit';
import type { ConfiguredChatModel } from '../src/pipeline/rewrite.ts';
import type { ConfiguredReranker } from '../src/pipeline/rerank.ts';
import { Background } from '../src/pipeline/background.ts';
import type { StagePorts } from '../src/pipeline/search-stages.ts';

export const ACME = tenantId('acme');
export const DEPLOYMENT_SCOPE = vectorScope('deployment');
const HANDBOOK = knowledgeBaseId('handbook');
const AT = '2026-01-01T00:00:00.000Z';

export const reader = (over: Partial<Access> = {}): Access => ({
  tenant: ACME,
  teams: ['red'],
  roles: ['reader'],
  actor: 'key:me',
  ...over,
});

const idOf = (number: number): string => number.toString(16).padStart(32, '0');
export const aDocument = (number: number) => documentId(idOf(number));
/** The first chunk of a document. */
export const aChunk = (number: number) => chunkId(idOf(number));
/** Another one, counted from 0. */
export const aChunkOf = (number: number, index: number) => chunkId(idOf(number + 1_000 * index));

/** `model`: that of its scope; default: that of the world. */
export type TestDocument = Readonly<{
  /** The version of the document; default: the first one. */
  version?: number;
  headings?: readonly string[];
  /** Of each passage, if they differ. */
  headingsOf?: readonly (readonly string[])[];
  tenant?: TenantScope['tenant'];
  scope?: string;
  knowledgeBase?: string;
  title?: string;
  labels?: Labels;
  model?: FakeEmbeddingProvider;
}>;

/** `companion`: it reranks. `in`: default, `deployment`. `recipe`: default, with the chunks of the active generation. */
type Build = Readonly<{ companion?: true; in?: TenantScope['scope']; recipe?: Recipe }>;

/** One set of in-memory read models, filled with documents, as a projection would fill it. */
export class SearchWorld {
  readonly catalog = new InMemoryCatalog();
  readonly vectors = new InMemoryVectorIndex();
  readonly lexical = new InMemoryLexicalIndex();
  readonly keys: InMemoryScopeKeys;
  readonly model: FakeEmbeddingProvider;
  /** Default: none. */
  reranker: ConfiguredReranker | undefined;
  /** Default: none. */
  chat: ConfiguredChatModel | undefined;
  /** The models that a search can use. */
  configured: readonly FakeEmbeddingProvider[];
  readonly #scopes = new Set<string>();
  #position = 0n;
  /** What `serving()` of the view returns. */
  serving = true;

  /** Worlds with the same keys can read each other's texts. */
  constructor(keys = new InMemoryScopeKeys(), model = aFakeEmbeddingProvider()) {
    this.keys = keys;
    this.model = model;
    this.configured = [model];
  }

  get view(): ReadView {
    return {
      catalog: this.catalog,
      vectors: this.vectors,
      lexical: this.lexical,
      position: () => position(this.#position),
      serving: () => this.serving,
    };
  }

  get views(): Views {
    return { live: () => this.view };
  }

  /** Returns the view that was given for a position. */
  readonly past = new Map<Position, ReadView>();
  /** Moments whose history was removed from the log. */
  readonly removed = new Set<Position>();

  get pastViews(): PastViews {
    return {
      at: async ({ asOf }, use) => {
        if ('position' in asOf && this.removed.has(asOf.position)) throw new HistoryRemoved('its history was removed', '7');
        const found = 'position' in asOf ? this.past.get(asOf.position) : undefined;
        if (found === undefined) throw new InvalidValue('asOf', 'a position of the test', asOfText(asOf));
        return use(found);
      },
    };
  }

  readonly background = new Background();

  get providers(): EmbeddingProviders {
    return {
      current: this.model,
      of: (version) => this.configured.find((model) => version === model.version),
      versions: () => this.configured.map(({ version }) => version),
      recipeOf: (version) => recipeWith({ version }),
      models: () => this.configured.map(({ version }) => aRegisteredModel(version)),
    };
  }

  get ports(): StagePorts {
    return { providers: this.providers, keys: this.keys, background: this.background, reranker: this.reranker, chat: this.chat };
  }

  async add(
    number: number,
    text: string | readonly string[],
    {
      tenant = ACME,
      scope: name = 'deployment',
      knowledgeBase = HANDBOOK,
      title = `Document ${number}`,
      labels = {},
      model = this.model,
      version = 1,
      headings = [],
      headingsOf = [],
    }: TestDocument = {},
  ): Promise<void> {
    const scope: TenantScope = { tenant, scope: vectorScope(name) };
    const base = knowledgeBaseId(knowledgeBase);
    const generation = await this.#generationOf(scope, base, model.version);
    const cipher = await this.keys.cipher(scope);
    const id = aDocument(number);
    let end = 0;
    const passages = (typeof text === 'string' ? [text] : text).map((passage, i) => ({
      chunkId: aChunkOf(number, i),
      contents: { text: passage, contextPrefix: '', headings: headingsOf[i] ?? headings },
      place: { start: end, end: (end += passage.length), fromLine: i + 1, toLine: i + 1 },
    }));
    const shared = {
      tenant,
      scope: scope.scope,
      documentId: id,
      version,
      title,
      mediaType: 'text/plain',
      labels,
      origin: 'UserContent',
      at: AT,
    } as const;
    const hash = sha256(idOf(number).repeat(2));
    const held = Object.entries(labels).map(([name, value]) => [`label.${name}`, value]);
    const attributes = { knowledgeBase: base, origin: 'UserContent', ...Object.fromEntries(held) };
    for (const { chunkId: chunk, contents } of passages) {
      const [embedding] = await model.embed([contents.text], 'passage');
      if (embedding === undefined) throw new Error('the model returned no vector');
      await this.vectors.apply(
        { scope, generation },
        [{ write: 'put', chunkId: chunk, vector: embedding.vector, attributes }],
        this.#next(),
      );
      await this.lexical.apply(
        { scope, generation },
        [{ write: 'put', chunkId: chunk, text: searchText(contents), language: 'en', attributes }],
        this.#next(),
      );
    }
    await this.catalog.apply(
      [
        {
          ...shared,
          change: 'document-submitted',
          knowledgeBase: base,
          sourceId: sourceId(`doc-${number}.txt`),
          bytes: passages.reduce((sum, { contents }) => sum + contents.text.length, 0),
          checksum: hash,
        },
        {
          ...shared,
          change: 'document-indexed',
          chunkList: DEFAULT_CHUNK_LIST,
          language: 'en',
          chunkingVersion: chunkingVersion('plain@1'),
          metadata: {},
          failedChunks: 0,
          warnings: [],
          chunks: passages.map(({ chunkId: chunk, place }) => ({ chunkId: chunk, ...place })),
          contents: passages.map(({ chunkId: chunk, contents }) => ({
            chunkId: chunk,
            contentHash: hash,
            sealedText: sealText(cipher, chunk, contents),
            language: 'en',
          })),
        },
      ],
      this.#next(),
    );
  }

  /** Of a knowledge base that has documents. */
  async configure(base: string, change: Pick<KnowledgeBaseSettings, 'fields' | 'synonyms'>): Promise<void> {
    const settings = { name: base, description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} }, ...change };
    await this.catalog.apply([{ change: 'knowledge-base-configured', tenant: ACME, id: knowledgeBaseId(base), settings }], this.#next());
  }

  /** The default strategy of a knowledge base that has documents, as a projection writes it. */
  async setStrategy(base: string, strategy: StrategyInUse): Promise<void> {
    await this.catalog.apply([{ change: 'knowledge-base-strategy', tenant: ACME, id: knowledgeBaseId(base), strategy }], this.#next());
  }

  /** Hides the document in the catalog; the indexes still contain its chunk, as they do for a moment in a projection. */
  async hide(number: number): Promise<void> {
    await this.catalog.apply([{ change: 'document-deleted', tenant: ACME, documentId: aDocument(number) }], this.#next());
  }

  /** A second generation `g2` of a scope with these documents, built and not active. */
  async build(
    model: FakeEmbeddingProvider,
    texts: Readonly<Record<number, string>>,
    { companion, in: name = DEPLOYMENT_SCOPE, recipe = recipeWith({ version: model.version }) }: Build = {},
  ): Promise<void> {
    const [scope, id] = [{ tenant: ACME, scope: name }, generationId('g2')];
    const { version } = model;
    const generation = { id, embeddingVersion: version, recipe, status: 'building' as const };
    await this.catalog.apply(
      [
        { change: 'generation', scope, generation },
        { change: 'generation-built', scope, id, ...(companion ? { companion } : {}) },
      ],
      this.#next(),
    );
    const attributes = { knowledgeBase: HANDBOOK, origin: 'UserContent' };
    for (const [number, text] of Object.entries(texts)) {
      const [chunk, [embedding]] = [aChunk(Number(number)), await model.embed([text], 'passage')];
      if (embedding === undefined) throw new Error('the model returned no vector');
      const put = { write: 'put' as const, chunkId: chunk, attributes };
      await this.vectors.apply({ scope, generation: id }, [{ ...put, vector: embedding.vector }], this.#next());
      await this.lexical.apply({ scope, generation: id }, [{ ...put, text, language: 'en' }], this.#next());
    }
  }

  /** Deletes `g2`: first in the catalog, then its vectors, as a projection does. */
  async retire(): Promise<void> {
    const [scope, id] = [{ tenant: ACME, scope: DEPLOYMENT_SCOPE }, generationId('g2')];
    await this.catalog.apply([{ change: 'generation-retired', scope, id }], this.#next());
    await this.vectors.drop({ scope, generation: id });
  }

  async #generationOf(scope: TenantScope, base: ReturnType<typeof knowledgeBaseId>, version: EmbeddingVersion): Promise<Generation['id']> {
    const id = generationId('g1');
    const known = `${scope.tenant}/${scope.scope}`;
    if (!this.#scopes.has(known)) {
      await this.catalog.apply(
        [
          {
            change: 'generation',
            scope,
            generation: { id, embeddingVersion: version, recipe: recipeWith({ version }), status: 'building' },
          },
          { change: 'generation-activated', scope, id },
        ],
        this.#next(),
      );
    }
    if (!this.#scopes.has(`${known}/${base}`)) {
      const settings = { name: base, description: '', chunking: { markdown: {}, tokens: {}, sheets: {}, code: {} } };
      await this.catalog.apply(
        [{ change: 'knowledge-base-created', tenant: scope.tenant, id: base, scope: scope.scope, settings, at: AT }],
        this.#next(),
      );
    }
    this.#scopes.add(known).add(`${known}/${base}`);
    return id;
  }

  #next(): Position {
    return position(++this.#position);
  }
}
