import { untilReached, type Journal } from '@palimpsest/contracts';
import { SeededRandom, type Scheduler } from '@palimpsest/foundation';
import { activeGeneration, refuseToPlan, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, NotFound } from '@palimpsest/knowledge/errors';
import { chunkListOf, embeddingVersionParts } from '@palimpsest/knowledge/values';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Cutover } from '@palimpsest/knowledge/events';
import type { KnowledgeBasePart, PlanFigures } from '@palimpsest/knowledge/plans';
import type { EmbeddingProviders, ModelRegistry, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import { IN_FLIGHT } from '../reembed-documents.ts';
import { registered } from '../start-swap.ts';
import { wantedRecipe, type RecipeTarget } from '../wanted-recipe.ts';
import { countTexts, type CountedTexts } from './count-texts.ts';
import { embedSample, type EmbeddedSample } from './embed-sample.ts';
import { timeOf, tokensOf } from './figures-of.ts';
import { plannedBytes, type BytesPorts } from './generation-bytes.ts';
import { NOTHING_REUSED, reusableVectors } from './reusable-vectors.ts';

export type MeasurePorts = BytesPorts &
  Readonly<{
    journal: Journal;
    catalog: Pick<Catalog, 'chunks' | 'contentHashes' | 'countsIn' | 'knowledgeBases' | 'languages'>;
    readModels: ReadModels;
    keys: ScopeKeys;
    providers: EmbeddingProviders & Pick<ModelRegistry, 'direct'>;
    settings: Readonly<{ reembeddingConcurrency: number }>;
    /** Milliseconds from any origin. */
    elapsed: () => number;
    scheduler: Scheduler;
  }>;

/**
 * `sample`: chunks to embed, which costs what their tokens cost. `speed`: of this model, if it was measured before. `maxRead`: texts that
 * are counted.
 */
export type MeasureOptions = Readonly<{
  target: RecipeTarget;
  cutover: Cutover;
  seed?: number;
  sample: number;
  speed?: EmbeddedSample;
  maxRead?: number;
}>;
export type Measured = Readonly<{ figures: Omit<PlanFigures, 'by'>; speed?: EmbeddedSample }>;

/** Finds out what a swap of a scope to a model would take. Changes nothing. @throws NotFound, Conflict; errors of the model */
export const measureScope = async (
  ports: MeasurePorts,
  scope: PermittedScope,
  { target, cutover, seed: asked, sample: wanted, speed, maxRead }: MeasureOptions,
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
  // Which chunks another chunking gives is known only when all documents were read again: the present ones stand for them.
  const isRechunked = chunkListOf(recipe.chunking) !== chunkListOf(active.recipe.chunking);
  const reuse = isRechunked ? NOTHING_REUSED : await reusableVectors(journal, scope, state, version, counted, { signal });
  const concurrency = settings.reembeddingConcurrency * IN_FLIGHT;
  const { documents } = await catalog.countsIn([scope]);
  const measured = speed ?? (await embedSample({ ...ports, concurrency }, model, counted.texts, signal));
  const tokens = tokensOf(counted, window.tokenizer, reuse.missing, measured);
  const vectors = Math.round(counted.chunks * (measured ? measured.vectors / measured.chunks : 1));
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
        chunks: counted.chunks,
        tokens,
        bytes,
        seed,
        upTo: String(head),
      },
      reusable: { chunks: reuse.chunks, exact: reuse.exact },
      ...(measured ? { time: timeOf(measured, counted.chunks - reuse.chunks, tokens.embedded, limits) } : {}),
      knowledgeBases: await byKnowledgeBase(catalog, scope, counted, tokens.texts),
    },
    ...(measured ? { speed: measured } : {}),
  };
};

/** The model without its cache, which would answer at once what it answered before. */
const modelOf = (providers: MeasurePorts['providers'], version: EmbeddingVersion) => {
  const model = providers.direct(version);
  if (!model) throw new EmbeddingModelMismatch(version, providers.versions());
  return model;
};

/** Documents and chunks as counted; tokens by the mean of the texts that were read of each knowledge base, scaled to the sum of the scope. */
const byKnowledgeBase = async (
  catalog: MeasurePorts['catalog'],
  scope: PermittedScope,
  { chunks: all, read }: CountedTexts,
  texts: number,
): Promise<readonly KnowledgeBasePart[]> => {
  const counts = Map.groupBy(await catalog.languages(scope), ({ knowledgeBase }) => knowledgeBase);
  const parts = (await catalog.knowledgeBases([scope])).map(({ id }) => {
    const own = read.filter(({ knowledgeBase }) => knowledgeBase === id);
    const mean = own.length === 0 ? texts / Math.max(1, all) : own.reduce((sum, { tokens }) => sum + tokens, 0) / own.length;
    const sum = (of: 'documents' | 'chunks'): number => (counts.get(id) ?? []).reduce((all, count) => all + count[of], 0);
    const chunks = sum('chunks');
    return { knowledgeBase: id, documents: sum('documents'), chunks, weight: mean * chunks };
  });
  const weight = parts.reduce((sum, part) => sum + part.weight, 0);
  return parts.map(({ weight: own, ...part }) => ({ ...part, tokens: weight === 0 ? 0 : Math.round((own / weight) * texts) }));
};
