import { untilReached, type Journal } from '@palimpsest/contracts';
import { drawJudgedQueries, GATE_MARGIN } from '@palimpsest/evaluation';
import { SeededRandom, type Scheduler } from '@palimpsest/foundation';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { EmbeddingModelMismatch, NotFound } from '@palimpsest/knowledge/errors';
import { evaluable, type QueryWindow } from '@palimpsest/knowledge/evaluation';
import type { PermittedScope } from '@palimpsest/knowledge/access';
import type { Generation, Scope } from '@palimpsest/knowledge/deciders';
import type { EvaluationResult } from '@palimpsest/knowledge/evaluation';
import type { EventMetadata } from '@palimpsest/knowledge/events';
import type { QuotaPolicy } from '@palimpsest/knowledge/limits';
import type { Embedder, EmbeddingProviders, GoldenQueries, ModelRegistry, ScopeKeys } from '@palimpsest/knowledge/ports';
import type { Catalog, ReadModels, VectorIndex } from '@palimpsest/knowledge/read-models';
import { chunkListOf, type DocumentId, type GenerationId, type Position } from '@palimpsest/knowledge/values';
import { requireSameModel, type ComparedModels } from '../same-model.ts';
import { checkCoverage } from './check-coverage.ts';
import { agreementOf, decide, latencyOf, measureOf } from './decide.ts';
import type { EvaluationWork } from './evaluation-runs.ts';
import { pastEvidence } from './past-evidence.ts';
import { pastQueries } from './past-queries.ts';
import { recordedQueries } from './recorded-queries.ts';
import { asked, judged, own, runQueries } from './run-queries.ts';
import { sampleOf, textsOf, type SampledText } from './sample-texts.ts';
import { scoreFloors } from './score-floors.ts';
import { SearchSides } from './search-sides.ts';
import { selfQueries, type SelfQuery } from './self-queries.ts';
import { spotCheck } from './spot-check.ts';

export type EvaluationPorts = Readonly<{
  journal: Journal;
  catalog: Pick<Catalog, 'chunks' | 'contentHashes' | 'existing' | 'visible'>;
  vectors: Pick<VectorIndex, 'entries' | 'search' | 'spread'>;
  readModels: ReadModels;
  keys: ScopeKeys;
  providers: Pick<EmbeddingProviders, 'versions'> & Pick<ModelRegistry, 'direct'> & ComparedModels;
  golden: GoldenQueries;
  quotaPolicy: Pick<QuotaPolicy, 'of'>;
  settings: EvaluationSettings;
  now: () => string;
  /** Milliseconds from any origin. */
  elapsed: () => number;
  scheduler: Scheduler;
}>;

/** The most queries of each kind, and the chunks that are embedded again. */
export type EvaluationSettings = Readonly<{ gateQueries: number; gateSpotChecks: number }>;
/** `seed`: default, derived from the position of the log. `pastQueries`: default, those that the swap names, or else the newest. */
export type EvaluationOptions = Readonly<{ queries?: number; seed?: number; synthetic?: boolean; pastQueries?: QueryWindow }>;
export type Evaluated = Readonly<{ state: Scope; position: Position }>;

type By = Readonly<{ by: 'person' | 'platform'; signal: AbortSignal; progress: EvaluationWork['progress'] }> &
  Pick<EventMetadata, 'actor' | 'correlationId'>;
type ByPlatform = Omit<By, 'by' | 'progress'>;

/** More chunks than queries are drawn, because some have too few words for a query. */
const SPARE = 1.25;
const MAX_LISTED = 100;

/** Compares a generation with the active one, and records what was found as one event. */
export class EvaluateGeneration {
  readonly #ports: EvaluationPorts;
  readonly #search: SearchSides;

  constructor(ports: EvaluationPorts) {
    this.#ports = ports;
    this.#search = new SearchSides(ports);
  }

  /** What would be compared now. @throws NotFound, Conflict */
  async pairOf(scope: PermittedScope): Promise<Readonly<{ state: Scope; generation: GenerationId; against: GenerationId }>> {
    const state = await this.#load(scope);
    if (!state.opened) throw new NotFound('scope', scope.scope);
    return { state, ...evaluable(state, scope.scope) };
  }

  /** @throws NotFound, Conflict, EmbeddingModelMismatch, ModelChanged; retryable errors of models and stores */
  async run(scope: PermittedScope, options: EvaluationOptions, by: By): Promise<Evaluated> {
    const { journal, readModels } = this.#ports;
    const { state, ...pair } = await this.pairOf(scope);
    const head = await journal.log.head();
    await untilReached(readModels, head, by.signal);
    by.signal.throwIfAborted();
    const seed = options.seed ?? Number(BigInt.asUintN(32, head));
    const evaluation = await this.#evaluate(scope, state, pair, { ...options, seed }, by);
    return this.#record(scope, evaluation, by);
  }

  /** Records that the platform could not evaluate a built generation, so that a person sees why it is not active. */
  async failed(scope: PermittedScope, reason: string, by: ByPlatform): Promise<Evaluated> {
    const pair = evaluable(await this.#load(scope), scope.scope);
    const at = String(await this.#ports.journal.log.head());
    const evaluation: EvaluationResult = {
      ...pair,
      ...{ verdict: 'undecided', reasons: [`the evaluation could not be completed: ${reason}`], decidedBy: 'faults' },
      ...{ margin: GATE_MARGIN, seed: 0, from: at, upTo: at, measures: [], coverage: { chunks: 0, refused: 0, unexplained: 0 } },
      ...{ golden: { used: 0, synthetic: 0, unusable: 0 }, unsettled: 0, spotCheck: { checked: 0, mismatched: 0 }, by: 'platform' },
      ...{ queries: [], sets: [], refused: [], unexplained: [], mismatched: [], missingDocuments: [] },
    };
    return this.#record(scope, evaluation, by);
  }

  async #evaluate(
    scope: PermittedScope,
    state: Scope,
    { generation, against }: Readonly<{ generation: GenerationId; against: GenerationId }>,
    options: EvaluationOptions & Readonly<{ seed: number }>,
    { by, signal, progress }: By,
  ): Promise<EvaluationResult> {
    const { catalog, settings, elapsed, readModels } = this.#ports;
    const { seed, queries: max = settings.gateQueries, synthetic = false } = options;
    const [after, before] = [generationOf(state, generation), generationOf(state, against)];
    const models = { before: this.#model(before), after: this.#model(after) };
    const canaryStrings = await requireSameModel(this.#ports.providers, after, signal);
    // Samples of chunks and of judged queries do not depend on each other.
    const [chunkRandom, goldenRandom] = [new SeededRandom(seed), new SeededRandom(seed ^ 0x9e3779b9)];
    const size = Math.max(Math.ceil(max * SPARE), settings.gateSpotChecks);
    const coverage = await checkCoverage(this.#ports, scope, after, { size, random: chunkRandom, signal });
    const lists = { before: chunkListOf(before.recipe.chunking), after: chunkListOf(after.recipe.chunking) };
    const texts = await textsOf(this.#ports, scope, { ids: coverage.sample, list: lists.after });
    // The model refuses the text of a refused chunk again.
    const lacking = new Set([...coverage.refused.map(({ chunkId }) => chunkId), ...coverage.unexplained]);
    const embeddable = texts.filter(({ chunkId }) => !lacking.has(chunkId)).slice(0, settings.gateSpotChecks);
    const checked = await spotCheck(this.#ports, scope, after, models.after, embeddable, signal);
    const golden = await drawJudgedQueries(await this.#ports.golden.ofScope(scope), {
      ...{ max, random: goldenRandom, withSynthetic: synthetic },
      existing: (ids: readonly DocumentId[]) => catalog.existing([scope], ids),
    });
    const ofBefore = async () =>
      textsOf(this.#ports, scope, {
        ids: await sampleOf(catalog, scope, lists.before, { size, random: new SeededRandom(seed ^ 0x51ed270b) }),
        list: lists.before,
      });
    const window = windowOf(state, generation, options);
    const past = await pastQueries(this.#ports, scope, { max, signal, ...window });
    const queries = [
      ...golden.queries.map(judged),
      ...(lists.before === lists.after ? selfQueries(texts) : fromBoth(await ofBefore(), texts)).slice(0, max).map(own),
      ...(past?.queries ?? []).map(asked),
    ];
    const start = readModels.position();
    const search = { search: this.#search, elapsed, progress };
    const { outcomes, unsettled, refused } = await runQueries(search, scope, { before, after }, models, queries, signal);
    const measures = (['golden', 'self'] as const).flatMap((source) => measureOf(source, outcomes, seed) ?? []);
    const { mismatched, ...spot } = checked;
    const decided = decide(measures, { unexplained: coverage.unexplained.length, mismatched: mismatched.length, ...spot });
    const agreement = agreementOf(outcomes.filter(({ query }) => query.source !== 'past'));
    const [latency, floors] = [latencyOf(outcomes), scoreFloors(outcomes)];
    return {
      ...{ generation, against, ...decided, margin: GATE_MARGIN, seed, measures, unsettled, by },
      from: String(outcomes[0]?.position ?? start),
      upTo: String(outcomes.at(-1)?.position ?? start),
      coverage: { chunks: coverage.chunks, refused: coverage.refused.length, unexplained: coverage.unexplained.length },
      golden: { used: golden.queries.length, synthetic: golden.synthetic, unusable: golden.unusable },
      ...(agreement ? { agreement } : {}),
      ...(past ? pastEvidence(outcomes, past.leftOut + refused, window.window) : {}),
      ...(floors ? { scoreFloors: floors } : {}),
      ...(latency ? { latency } : {}),
      spotCheck: { ...spot, mismatched: mismatched.length },
      ...(canaryStrings ? { canaryStrings } : {}),
      queries: recordedQueries(outcomes, decided.decidedBy === 'golden' ? 'golden' : 'self'),
      sets: golden.sets,
      refused: coverage.refused.slice(0, MAX_LISTED),
      unexplained: coverage.unexplained.slice(0, MAX_LISTED),
      mismatched: mismatched.slice(0, MAX_LISTED),
      missingDocuments: golden.missingDocuments.slice(0, MAX_LISTED),
    };
  }

  async #record(scope: PermittedScope, evaluation: EvaluationResult, { actor, correlationId }: ByPlatform): Promise<Evaluated> {
    const { journal, now } = this.#ports;
    const command = { type: 'RecordEvaluation' as const, scope: scope.scope, evaluation, now: now() };
    return journal.execute(decider, scopeStream(scope), command, { ...scope, actor, correlationId });
  }

  #model({ embeddingVersion }: Generation): Embedder {
    const { providers } = this.#ports;
    const model = providers.direct(embeddingVersion);
    if (!model) throw new EmbeddingModelMismatch(embeddingVersion, providers.versions());
    return model;
  }

  async #load(scope: PermittedScope): Promise<Scope> {
    return (await this.#ports.journal.load(decider, scopeStream(scope))).state;
  }
}

/** The past queries that the request names, or else the swap of the generation. */
const windowOf = (
  { swap }: Scope,
  generation: GenerationId,
  { pastQueries: named }: EvaluationOptions,
): Readonly<{ window?: QueryWindow }> => {
  const window = named ?? (swap?.generation === generation ? swap.pastQueries : undefined);
  return window === undefined ? {} : { window };
};

const generationOf = (state: Scope, wanted: GenerationId): Generation => {
  const found = state.generations.find(({ id }) => id === wanted);
  if (!found) throw new NotFound('generation', wanted);
  return found;
};

/**
 * Passages of both chunk lists in turns: words from one chunk never cross a boundary of its own list, so those of one side only would
 * favour that side.
 */
const fromBoth = (before: readonly SampledText[], after: readonly SampledText[]): readonly SelfQuery[] => {
  const [first, second] = [selfQueries(before), selfQueries(after)];
  return Array.from({ length: Math.min(first.length, second.length) }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((query) => query !== undefined);
};
