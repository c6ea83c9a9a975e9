import { InMemoryProjection, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import type { EvaluationVerdict } from '@palimpsest/knowledge/evaluation';
import { projection, type EventMetadata, type Fact, type ScopeEvent } from '@palimpsest/knowledge/events';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { START, type EmbeddingVersion, type Position } from '@palimpsest/knowledge/values';
import { FLEET_ACTOR } from './fleet/scope-progress.ts';
import { registered } from './start-swap.ts';

/** `paused`: by a person or a fleet. `failed`: paused by the platform, because the model failed. `ready`: waits for its evaluation or its cut-over. */
export type SwapState = 'building' | 'paused' | 'failed' | 'ready';

/** Sums over the installation. Counts begin with the log, so they are the same in every process and never decrease. */
export type SwapFigures = Readonly<{
  states: Readonly<Record<SwapState, number>>;
  /** Ranges of documents of the swaps that are not built yet. */
  ranges: Readonly<{ done: number; open: number }>;
  chunks: number;
  rejected: number;
  tokens: number;
  /** US dollars, at the current prices of the models that have one. */
  cost: number;
  failures: number;
  evaluations: Readonly<Record<EvaluationVerdict, number>>;
  /** Since the last progress of the swap that is being built and has made none for longest. 0 if none is being built. */
  stalledSeconds: number;
}>;

type KnownSwap = {
  generation: string;
  version: EmbeddingVersion;
  state: SwapState;
  ranges: number;
  rangeCount: number;
  movedAt: string;
  begin: Position;
};
type FactOf<Type extends ScopeEvent['type']> = Fact<Extract<ScopeEvent, { type: Type }>>;
type Parts = Readonly<{
  journal: Journal;
  providers: Pick<EmbeddingProviders, 'models'>;
  system: Pick<System, 'scheduler' | 'clock'>;
  onFault: (error: unknown, about: string) => void;
}>;

/** In-memory projection of all swaps, for metrics. It keeps one entry for each scope that is being moved. */
export class FollowSwapFigures {
  readonly #parts: Parts;
  readonly #projection: InMemoryProjection;
  readonly #swaps = new Map<string, KnownSwap>();
  readonly #tokens = new Map<EmbeddingVersion, number>();
  #chunks = 0;
  #rejected = 0;
  #failures = 0;
  readonly #evaluations: Record<EvaluationVerdict, number> = { 'not-worse': 0, worse: 0, undecided: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#projection = new InMemoryProjection(
      parts.journal,
      projection('swap-figures', {
        GenerationStarted: (fact) => this.#started(fact),
        GenerationRangeEmbedded: (fact) => this.#embedded(fact),
        GenerationBuilt: (fact) => this.#built(fact),
        GenerationPaused: (fact) => this.#paused(fact),
        GenerationResumed: ({ metadata, event: { data } }) =>
          this.#change(metadata, data.generation, { state: 'building', movedAt: data.resumedAt }),
        GenerationEvaluated: ({ event: { data } }) => void this.#evaluations[data.verdict]++,
        GenerationActivated: ({ metadata, event: { data } }) => this.#ended(metadata, data.generation),
        GenerationRetired: ({ metadata, event: { data } }) => this.#ended(metadata, data.generation),
      }),
      parts.system.scheduler,
    );
  }

  /** @throws read errors, for example of a damaged log */
  start(): Promise<void> {
    return this.#projection.start(START, (error) => this.#parts.onFault(error, 'following swaps for metrics'));
  }

  stop(): Promise<void> {
    return this.#projection.stop();
  }

  figures(): SwapFigures {
    const swaps = [...this.#swaps.values()];
    const scopes = (wanted: SwapState): number => swaps.filter(({ state }) => state === wanted).length;
    const unbuilt = swaps.filter(({ state }) => state !== 'ready');
    const done = unbuilt.reduce((sum, { ranges }) => sum + ranges, 0);
    return {
      states: { building: scopes('building'), paused: scopes('paused'), failed: scopes('failed'), ready: scopes('ready') },
      ranges: { done, open: unbuilt.reduce((sum, { rangeCount, ranges }) => sum + rangeCount - ranges, 0) },
      chunks: this.#chunks,
      rejected: this.#rejected,
      tokens: [...this.#tokens.values()].reduce((sum, tokens) => sum + tokens, 0),
      cost: this.#cost(),
      failures: this.#failures,
      evaluations: { ...this.#evaluations },
      stalledSeconds: this.#stalledSeconds(swaps),
    };
  }

  /** Where the oldest swap begins that is not built yet. Undefined if there is none. */
  buildingSince(): Position | undefined {
    const begins = [...this.#swaps.values()].flatMap(({ state, begin }) => (state === 'ready' ? [] : [begin]));
    return begins.length === 0 ? undefined : begins.reduce((first, begin) => (begin < first ? begin : first));
  }

  #cost(): number {
    const priceOf = (version: EmbeddingVersion): number => registered(this.#parts.providers, version).pricePerMillionTokens ?? 0;
    return [...this.#tokens].reduce((sum, [version, tokens]) => sum + (tokens * priceOf(version)) / 1e6, 0);
  }

  #stalledSeconds(swaps: readonly KnownSwap[]): number {
    const now = this.#parts.system.clock.now();
    const ages = swaps.filter(({ state }) => state === 'building').map(({ movedAt }) => (now - Date.parse(movedAt)) / 1_000);
    return Math.max(0, ...ages);
  }

  /** The first generation of a scope is activated in the same append. */
  #started({ metadata, position: begin, event: { data } }: FactOf<'GenerationStarted'>): void {
    const { generation, recipe, startedAt: movedAt, ranges: rangeCount = DOCUMENT_RANGES } = data;
    const { version } = recipe.embedding;
    this.#swaps.set(keyOf(metadata), { generation, version, state: 'building', ranges: 0, rangeCount, movedAt, begin });
  }

  #embedded({ metadata, event: { data } }: FactOf<'GenerationRangeEmbedded'>): void {
    const swap = this.#swaps.get(keyOf(metadata));
    if (swap?.generation !== data.generation) return;
    swap.ranges++;
    swap.movedAt = data.embeddedAt;
    this.#chunks += data.chunks;
    this.#rejected += data.withoutVector;
    this.#tokens.set(swap.version, (this.#tokens.get(swap.version) ?? 0) + data.tokens);
  }

  /** A companion waits for nothing. */
  #built({ metadata, event: { data } }: FactOf<'GenerationBuilt'>): void {
    if (data.companion) this.#ended(metadata, data.generation);
    else this.#change(metadata, data.generation, { state: 'ready', movedAt: data.builtAt });
  }

  #paused({ metadata, event: { data } }: FactOf<'GenerationPaused'>): void {
    // A fleet pauses its swaps as the platform, too, when a person pauses it.
    const hasFailed = data.by === 'platform' && metadata.actor !== FLEET_ACTOR;
    this.#change(metadata, data.generation, { state: hasFailed ? 'failed' : 'paused', movedAt: data.pausedAt });
    if (hasFailed) this.#failures++;
  }

  #change(metadata: EventMetadata, generation: string, change: Pick<KnownSwap, 'state' | 'movedAt'>): void {
    const swap = this.#swaps.get(keyOf(metadata));
    if (swap?.generation === generation) Object.assign(swap, change);
  }

  #ended(metadata: EventMetadata, generation: string): void {
    if (this.#swaps.get(keyOf(metadata))?.generation === generation) this.#swaps.delete(keyOf(metadata));
  }
}

const keyOf = ({ tenant, scope }: EventMetadata): string => `${tenant}/${scope ?? ''}`;
