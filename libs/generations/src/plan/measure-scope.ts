import { untilReached, type Journal } from '@palimpsest/contracts';
import { SeededRandom, type Scheduler } from '@palimpsest/foundation';
import { activeGeneration, refuseToPlan, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, NotFound } from '@palimpsest/knowledge/errors';
import { chunkListOf, embeddingVersionParts } from '@palimpsest/knowledge/values';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation, Scope } from '@palimpsest/knowledge/deciders';
import type { ChunkText, Cutover } from '@palimpsest/knowledge/events';
import type { KnowledgeBasePart, PlanFigures, RechunkedDocuments } from '@palimpsest/knowledge/plans';
import type { EmbeddingProviders, ModelRegistry, ScopeKeys, TextWindow } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion, Recipe } from '@palimpsest/knowledge/values';
import type { Rechunking } from '../chunk-lists.ts';
import { IN_FLIGHT } from '../reembed-documents.ts';
import { registered } from '../start-swap.ts';
import { wantedRecipe, type RecipeTarget } from '../wanted-recipe.ts';
import { countTexts, type CountedTexts } from './count-texts.ts';
import { embedSample, type EmbeddedSample } from './embed-sample.ts';
import { textTokens, timeOf, tokensOf, type TextTokens } from './figures-of.ts';
import { plannedBytes, type BytesPorts } from './generation-bytes.ts';
import { rechunkedTexts, type RechunkedTexts } from './rechunked-texts.ts';
import { reusableVectors, type Reuse } from './reusable-vectors.ts';

export type MeasurePorts = BytesPorts &
  Readonly<{
    journal: Journal;
    catalog: Pick<Catalog, 'chunks' | 'contentHashes' | 'countsIn' | 'knowledgeBases' | 'languages'>;
    readModels: ReadModels;
    keys: ScopeKeys;
    rechunk: Pick<Rechunking, 'preview'>;
    providers: EmbeddingProviders & Pick<ModelRegistry, 'direct'>;
    settings: Readonly<{ reembeddingConcurrency: number }>;
    /** Milliseconds from any origin. */
    elapsed: () => number;
    scheduler: Scheduler;
  }>;

/**
 * `sample`: chunks to embed, which costs what their tokens cost. `speed`: of this model, if it was measured before. `maxRead`: texts that
 * are counted. `maxRechunked`: documents that are chunked again if the chunking changes.
 */
export type MeasureOptions = Readonly<{
  target: RecipeTarget;
  cutover: Cutover;
  seed?: number;
  sample: number;
  speed?: EmbeddedSample;
  maxRead?: number;
  maxRechunked?: number;
}>;
export type Measured = Readonly<{ figures: Omit<PlanFigures, 'by'>; speed?: EmbeddedSample }>;

/** Finds out what a swap of a scope to a model would take. Changes nothing. @throws NotFound, Conflict; errors of the model */
export const measureScope = async (
  ports: MeasurePorts,
  scope: PermittedScope,
  { target, cutover, seed: asked, sample: wanted, speed, maxRead, maxRechunked }: MeasureOptions,
  signal: AbortSignal,
): Promise<Measured> => {
  const { journal, catalog, readModels, providers, settings } = ports;
  const { state } = await journal.load(decider, scopeStream(scope));
  const active = activeGeneration(state);
  if (!active) throw new NotFound('scope', scope.scope);
  const recipe = wantedRecipe(providers, active.recipe, target);
  const { version } = recipe.embedding;
  refuseToPlan(state, scope.scope, recipe);
  const model = modelOf(providers, version);
  const head = await journal.log.head();
  await untilReached(readModels, head, signal);
  signal.throwIfAborted();
  const seed = asked ?? Number(BigInt.asUintN(32, head));
  const random = new SeededRandom(seed);
  const { limits, pricePerMillionTokens } = registered(providers, version);
  const window = await model.window();
  const texts = speed ? 0 : wanted;
  const counted = await countTexts(ports, scope, window, { random, signal, texts, ...(maxRead === undefined ? {} : { maxRead }) });
  const contents = await contentsOf(ports, scope, { state, active, recipe, window, counted, texts, maxRechunked, random, signal });
  const { chunks, reuse } = contents;
  const concurrency = settings.reembeddingConcurrency * IN_FLIGHT;
  const { documents } = await catalog.countsIn([scope]);
  const measured = speed ?? (await embedSample({ ...ports, concurrency }, model, contents.texts, signal));
  const tokens = tokensOf(contents.tokens, window.tokenizer, reuse.missing, measured);
  const vectors = Math.round(chunks * (measured ? measured.vectors / measured.chunks : 1));
  const bytes = await plannedBytes(ports, { scope, generation: active.id }, vectors, embeddingVersionParts(version).dimensions);
  const price = pricePerMillionTokens === undefined ? {} : { pricePerMillionTokens, cost: (tokens.embedded * pricePerMillionTokens) / 1e6 };
  return {
    figures: {
      ...{
        recipe,
        cutover,
        limits,
        ...price,
        documents: documents.indexed,
        chunks,
        tokens,
        bytes,
        seed,
        upTo: String(head),
      },
      reusable: { chunks: reuse.chunks, exact: reuse.exact },
      ...(contents.rechunked ? { rechunked: contents.rechunked } : {}),
      ...(measured ? { time: timeOf(measured, chunks - reuse.chunks, tokens.embedded, limits) } : {}),
      knowledgeBases: await byKnowledgeBase(catalog, scope, counted, { chunks, tokens: tokens.texts }, contents.shares),
    },
    ...(measured ? { speed: measured } : {}),
  };
};

/** What the generation would contain. `texts`: a sample of it. */
type Contents = Readonly<{
  chunks: number;
  tokens: TextTokens;
  reuse: Reuse;
  texts: readonly ChunkText[];
  rechunked?: RechunkedDocuments;
  shares?: RechunkedTexts['shares'];
}>;
type AskedContents = Readonly<{
  state: Scope;
  active: Generation;
  recipe: Recipe;
  window: TextWindow;
  counted: CountedTexts;
  texts: number;
  maxRechunked: number | undefined;
  random: SeededRandom;
  signal: AbortSignal;
}>;

/** The present chunks, or what another chunking makes of them. */
const contentsOf = async (
  ports: MeasurePorts,
  scope: PermittedScope,
  { state, active, recipe, window, counted, texts, maxRechunked, random, signal }: AskedContents,
): Promise<Contents> => {
  const { version } = recipe.embedding;
  const of = chunkListOf(active.recipe.chunking);
  if (chunkListOf(recipe.chunking) === of) {
    const reuse = await reusableVectors(ports.journal, scope, state, version, counted, { signal });
    return { chunks: counted.chunks, tokens: textTokens(counted), reuse, texts: counted.texts };
  }
  const limit = maxRechunked === undefined ? {} : { maxDocuments: maxRechunked };
  const asked = { of, recipe, isSameModel: version === active.embeddingVersion, texts, ...limit };
  const { documents, ...rechunked } = await rechunkedTexts(ports, scope, window, counted, asked, { random, signal });
  return { ...rechunked, rechunked: documents };
};

/** The model without its cache, which would answer at once what it answered before. */
const modelOf = (providers: MeasurePorts['providers'], version: EmbeddingVersion) => {
  const model = providers.direct(version);
  if (!model) throw new EmbeddingModelMismatch(version, providers.versions());
  return model;
};

/**
 * Documents as counted; chunks and tokens by the texts that were read of each knowledge base, scaled to the sums of the scope. `shares`: what
 * another chunking gives for each present chunk.
 */
const byKnowledgeBase = async (
  catalog: MeasurePorts['catalog'],
  scope: PermittedScope,
  { read }: CountedTexts,
  whole: Readonly<{ chunks: number; tokens: number }>,
  shares?: RechunkedTexts['shares'],
): Promise<readonly KnowledgeBasePart[]> => {
  const counts = Map.groupBy(await catalog.languages(scope), ({ knowledgeBase }) => knowledgeBase);
  const meanOf = (own: CountedTexts['read']): number => own.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, own.length);
  const parts = (await catalog.knowledgeBases([scope])).map(({ id }) => {
    const own = read.filter(({ knowledgeBase }) => knowledgeBase === id);
    const share = shares?.(id) ?? { chunks: 1, tokens: meanOf(own.length === 0 ? read : own) };
    const sum = (of: 'documents' | 'chunks'): number => (counts.get(id) ?? []).reduce((all, count) => all + count[of], 0);
    const present = sum('chunks');
    return { knowledgeBase: id, documents: sum('documents'), chunks: share.chunks * present, tokens: share.tokens * present };
  });
  const scaled = (value: number, of: 'chunks' | 'tokens'): number => {
    const all = parts.reduce((sum, part) => sum + part[of], 0);
    return all === 0 ? 0 : Math.round((value / all) * whole[of]);
  };
  return parts.map((part) => ({ ...part, chunks: scaled(part.chunks, 'chunks'), tokens: scaled(part.tokens, 'tokens') }));
};
