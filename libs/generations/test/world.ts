import { createHash } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { fromBase64, openVector, sealText, sealVector, toBase64 } from '@palimpsest/contracts';
import { SYSTEM } from '@palimpsest/foundation';
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
import type { ChunkText, EventMetadata, KnowledgeChunkIndexed } from '@palimpsest/knowledge/events';
import {
  blobKey,
  type EmbeddingProvider,
  type EmbeddingProviders,
  type GoldenQueries,
  type ModelRegistry,
  type RegisteredModel,
} from '@palimpsest/knowledge/ports';
import type { CatalogChange, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import {
  chunkId,
  chunkingVersion,
  chunkListOf,
  DEFAULT_CHUNK_LIST,
  documentId,
  embeddingVersion,
  knowledgeBaseId,
  recipeWith,
  sha256,
  sourceId,
  tenantId,
  vectorScope,
  type ChunkId,
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
import { BuildGeneration } from '../src/build-generation.ts';
import type { Rechunking } from '../src/chunk-lists.ts';
import type { Run } from '../src/run.ts';
import { EvaluateBuilt } from '../src/evaluate-built.ts';
import { PlanSwapsOfScopes } from '../src/plan/plan-swap.ts';
import { PlanTenantsOfInstallation } from '../src/plan/plan-tenants.ts';
import type { MeasurePorts } from '../src/plan/measure-scope.ts';
import { EvaluateSwapOnDemand } from '../src/evaluate-swap.ts';
import { EvaluateGeneration, type EvaluationPorts } from '../src/evaluation/evaluate-generation.ts';
import { EvaluationRuns } from '../src/evaluation/evaluation-runs.ts';
import { ReembedDocuments } from '../src/reembed-documents.ts';
import { ReembedScope } from '../src/reembed-scope.ts';
import type { ComparedModels } from '../src/same-model.ts';
import { SwapScope } from '../src/swap-scope.ts';
import { FULL_SPEED } from '../src/throttle/turns.ts';

export const SCOPE = { tenant: tenantId('acme'), scope: vectorScope('team:red') };
export const ADMIN: Access = { tenant: SCOPE.tenant, teams: ['red'], roles: ['admin'], actor: 'key-1' };
export const [MINI, LARGE, HUGE] = [embeddingVersion('fake:mini/8'), embeddingVersion('fake:large/16'), embeddingVersion('fake:huge/32')];

const METADATA: EventMetadata = { ...SCOPE, actor: 'spec', correlationId: 'spec' };
/** Readable where the text is short; a digest otherwise. */
const hex = (text: string, length: number): string => {
  const whole = Buffer.from(text).toString('hex');
  return whole.length <= length ? whole.padStart(length, '0') : createHash('sha256').update(text).digest('hex').slice(0, length);
};
type Without<T, Keys extends PropertyKey> = T extends unknown ? Omit<T, Keys> : never;

const contentOf = (text: string): ChunkText => ({ text, contextPrefix: '', headings: [] });
const noRechunking = () => Promise.reject(new Error('no test chunks documents again'));

export const theDocument = (name: string): DocumentId => documentId(hex(name, 32));
export const theChunk = (name: string, text: string) => chunkId(hex(`${name}/${text}`, 32));

/** A scope with documents that were embedded with MINI; LARGE is the current model. The catalog is updated only by `project`. */
export class World {
  readonly log = new InMemoryEventLog();
  readonly keys = new InMemoryScopeKeys();
  readonly journal = aJournal(this.log, this.keys);
  readonly catalog = new InMemoryCatalog();
  readonly vectors = new InMemoryVectorIndex();
  /** The evaluations of the process. */
  runs = new EvaluationRuns(SYSTEM.ids, () => this.now());
  /** Errors of background work that no caller gets. */
  readonly faults: unknown[] = [];
  providers: readonly [EmbeddingProvider, ...EmbeddingProvider[]];
  behind = false;
  golden: GoldenQueries = { ofScope: () => Promise.resolve([]) };
  /** Of the tenant of the scope. */
  recordQueries: boolean | undefined = undefined;
  /** Documents that were chunked again, by name. */
  readonly rechunked: string[] = [];
  /** How a document is chunked again. */
  rechunk: Rechunking = { run: noRechunking, preview: noRechunking };
  /** Whether `project` also writes vectors. */
  withVectors = false;
  /** What operators say about every model. */
  described: Partial<RegisteredModel> = {};
  requirePlan = false;
  /** The comparison of a model with its fingerprint. */
  verify: ModelRegistry['verify'] = async () => undefined;
  readonly #texts = new Map<ChunkId, Uint8Array>();
  /** The position of the read models, at each reading. */
  position = (): bigint => 0n;
  /** Changes vectors on their way into the index: a planted fault. Undefined: the vector is lost. */
  plant: (chunk: ChunkId, vector: Float32Array, version: EmbeddingVersion) => Float32Array | undefined = (_, vector) => vector;
  /** Number of waits for the read models. */
  waits = 0;
  #minute = 0;
  #elapsed = 0;

  constructor(...providers: readonly EmbeddingProvider[]) {
    const [first = aFakeEmbeddingProvider({ version: LARGE }), ...others] = providers;
    this.providers = [first, ...others];
  }

  /** Moves the clock, backwards if negative. */
  jump(minutes: number): void {
    this.#minute += minutes;
  }

  readonly now = (): string => new Date(Date.UTC(2026, 0, 1, 0, this.#minute++)).toISOString();

  get documents(): ReembedDocuments {
    return new ReembedDocuments({ journal: this.journal, keys: this.keys, providers: this.#providers() }, this.run());
  }

  get build(): BuildGeneration {
    const { journal, keys, catalog, now, evaluation } = this;
    const [readModels, evaluate] = [this.#readModels(), new EvaluateBuilt(evaluation, this.runs)];
    return new BuildGeneration({
      journal,
      keys,
      catalog,
      readModels,
      evaluate,
      turns: FULL_SPEED,
      now,
      elapsed: this.#passes,
      rechunk: this.rechunk,
      providers: this.#providers(),
    });
  }

  get evaluation(): EvaluateGeneration {
    const { journal, catalog, vectors, keys, golden, now } = this;
    const scheduler: EvaluationPorts['scheduler'] = { ...SYSTEM.scheduler, after: (_, work) => SYSTEM.scheduler.after(0, work) };
    const settings = { gateQueries: 100, gateSpotChecks: 50 };
    const { versions, recipeOf, verify } = this.#providers();
    const quotaPolicy: EvaluationPorts['quotaPolicy'] = {
      of: (tenant) => ({
        limits: this.recordQueries === undefined || tenant !== SCOPE.tenant ? {} : { recordQueries: this.recordQueries },
      }),
    };
    return new EvaluateGeneration({
      ...{
        journal,
        catalog,
        vectors,
        keys,
        golden,
        now,
        scheduler,
        settings,
        quotaPolicy,
        elapsed: this.#passes,
        readModels: this.#readModels(),
      },
      providers: { versions, recipeOf, verify, direct: (version) => this.providers.find((provider) => provider.version === version) },
    });
  }

  get evaluations(): EvaluateSwapOnDemand {
    const { journal, catalog, keys, golden, evaluation, runs } = this;
    const onFault = (error: unknown): void => void this.faults.push(error);
    return new EvaluateSwapOnDemand({ journal, catalog, keys, golden, evaluate: evaluation, runs, onFault });
  }

  get scopes(): ReembedScope {
    const { journal, catalog, vectors, now } = this;
    return new ReembedScope({ journal, catalog, vectors, now, providers: this.#providers() });
  }

  get plans(): PlanSwapsOfScopes {
    return new PlanSwapsOfScopes({ ...this.#measure(), catalog: this.catalog, now: this.now });
  }

  get tenantPlans(): PlanTenantsOfInstallation {
    return new PlanTenantsOfInstallation({ ...this.#measure(), catalog: this.catalog });
  }

  #measure(): MeasurePorts {
    const { journal, catalog, vectors, keys } = this;
    const direct = (version: EmbeddingVersion) => this.providers.find((provider) => provider.version === version);
    return {
      ...{ journal, catalog, vectors, keys, scheduler: SYSTEM.scheduler, elapsed: this.#passes, readModels: this.#readModels() },
      ...{ rechunk: this.rechunk, providers: { ...this.#providers(), direct }, settings: { reembeddingConcurrency: 2 } },
    };
  }

  get swaps(): SwapScope {
    const { journal, catalog, now, requirePlan } = this;
    const vectors: VectorIndex = this.vectors;
    const indexes = { vectors, readModels: this.#readModels() };
    const [{ scheduler }, providers, evaluationRuns] = [SYSTEM, this.#providers(), this.runs];
    const ports = { journal, catalog, now, requirePlan, indexes, scheduler, providers, evaluationRuns };
    return new SwapScope(ports);
  }

  run(signal = new AbortController().signal): Run {
    return { scope: SCOPE, correlationId: 'request-1', signal };
  }

  async begin(): Promise<this> {
    await this.scope({ type: 'Open', recipe: recipeWith({ version: MINI }) });
    return this;
  }

  async scope(command: Without<ScopeCommand, 'scope' | 'now'>, actor = METADATA.actor): Promise<void> {
    await this.journal.execute(scopeDecider, scopeStream(SCOPE), { ...command, scope: SCOPE.scope, now: this.now() } as ScopeCommand, {
      ...METADATA,
      actor,
    });
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

  /** From now on, a swap to another chunking finds these texts in the upload of a document. */
  rechunks(uploads: Readonly<Record<string, readonly string[]>>): void {
    const names = new Map(Object.keys(uploads).map((name) => [theDocument(name), name]));
    this.rechunk = {
      run: async ({ documentId: id, of, generation, gate }) => {
        await gate();
        const name = names.get(id) ?? '';
        this.rechunked.push(name);
        const { state } = await this.journal.load(document, documentStream(SCOPE.tenant, id));
        const known = state.lists.get(of);
        if (!known) return { tokens: 0 };
        const [chunkList, texts] = [chunkListOf(generation.recipe.chunking), uploads[name] ?? []];
        const chunks = [];
        for (const text of texts) chunks.push(await this.#chunk(name, text, generation.embeddingVersion, known.version));
        await this.#document(name, { type: 'RecordChunks', version: known.version, chunkList, whole: true, chunks });
        const places = texts.map((text) => ({ chunkId: theChunk(name, text), start: 0, end: 1, fromLine: 1, toLine: 1 }));
        const { title, mediaType, language, chunkingVersion: made, metadata, failedChunks, warnings } = known.indexed;
        const attributes = { title, mediaType, language, chunkingVersion: made, metadata, failedChunks, warnings };
        const result = { chunkList, whole: true as const, ...attributes, chunks: places };
        await this.#document(name, { type: 'CompleteIndexing', version: known.version, result });
        return { tokens: texts.length };
      },
      preview: async ({ documentId: id, of, recipe }) => {
        const { state } = await this.journal.load(document, documentStream(SCOPE.tenant, id));
        const name = names.get(id);
        const present = state.lists.get(of)?.chunkIds.length;
        if (present === undefined) return undefined;
        if (name === undefined) return { present };
        const isEmbedded = (text: string) => state.recorded.get(theChunk(name, text))?.vectors.has(recipe.embedding.version) === true;
        const chunks = (uploads[name] ?? []).map((text) => ({ content: contentOf(text), isEmbedded: isEmbedded(text) }));
        return { present, chunks };
      },
    };
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

  /** Time passes with each reading, so that the state of a swap is read before each batch. */
  readonly #passes = (): number => (this.#elapsed += 1_000);

  #readModels(): ReadModels {
    return {
      position: () => this.position() as never,
      reached: (_, __, signal) => this.#reached(signal),
      serving: () => true,
    };
  }

  async #reached(signal?: AbortSignal): Promise<boolean> {
    do {
      this.waits++;
      await pause();
    } while (this.behind && signal?.aborted !== true);
    return !this.behind && (await this.project());
  }

  #providers(): EmbeddingProviders & ComparedModels {
    const [current] = this.providers;
    return {
      current,
      of: (version) => this.providers.find((provider) => provider.version === version),
      versions: () => this.providers.map(({ version }) => version),
      recipeOf: (version) => recipeWith({ version }),
      models: () => this.providers.map(({ version }) => ({ ...aRegisteredModel(version), ...this.described })),
      verify: (version) => this.verify(version),
    };
  }

  /** The part of a projection that swaps need: indexed documents, vectors and the active generation. */
  async project(): Promise<boolean> {
    const known = await this.catalog.position();
    const cipher = await this.keys.cipher(SCOPE);
    const changes: CatalogChange[] = [];
    const generations = await this.generations();
    let upTo = known;
    for await (const { event, position } of this.journal.readAll({ from: known })) {
      upTo = position;
      if (event.type === 'KnowledgeChunkIndexed') this.#texts.set(event.data.chunkId, fromBase64(event.data.sealedText));
      if (this.withVectors && (event.type === 'KnowledgeChunkIndexed' || event.type === 'KnowledgeChunkReembedded')) {
        const { chunkId: id, embeddingVersion: version, sealedVector, documentId: document } = event.data;
        const vector = this.plant(id, openVector(cipher, id, version, fromBase64(sealedVector)), version);
        const generation = generations.findLast((one) => one.embeddingVersion === version);
        if (vector && generation) {
          const put = { write: 'put' as const, chunkId: id, vector, attributes: { documentId: document } };
          await this.vectors.apply({ scope: SCOPE, generation: generation.id }, [put], position);
        }
      }
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
          sealedText: this.#texts.get(id) ?? Uint8Array.of(1),
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
      if (event.type === 'GenerationBuilt') {
        const { generation: id, companion } = event.data;
        changes.push({ change: 'generation-built', scope: SCOPE, id, ...(companion ? { companion } : {}) });
      }
      if (event.type === 'GenerationActivated') changes.push({ change: 'generation-activated', scope: SCOPE, id: event.data.generation });
      if (event.type === 'GenerationRetired') changes.push({ change: 'generation-retired', scope: SCOPE, id: event.data.generation });
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
        sealedText: toBase64(sealText(cipher, id, contentOf(text))),
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
