import { BASELINE_WINDOW, isLook, LOOK_EVERY, regressions, type Observation } from '@palimpsest/evaluation';
import type { Canary, CanaryEvidence, CanaryFinding, CanarySide } from '@palimpsest/knowledge/canary';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { Position, VectorScope } from '@palimpsest/knowledge/values';

type Side = { queries: number; empty: number; latest: Observation[] };
type Compared = Pick<Canary, 'scope' | 'generation' | 'against' | 'thresholds'>;

/** Both sides of a canary, from the records of its queries in the order of the log: the same records give the same result everywhere. */
export class CanaryComparison {
  readonly #canary: Compared;
  readonly #tried: Side = { queries: 0, empty: 0, latest: [] };
  readonly #active: Side = { queries: 0, empty: 0, latest: [] };
  #upTo: Position | undefined;
  #regressions: readonly CanaryFinding[] = [];

  constructor(canary: Compared) {
    this.#canary = canary;
  }

  /** Adds one query. Returns whether it completed a look that found a regression. */
  add(data: RetrievalRecordData, position: Position): boolean {
    const side = this.#sideOf(data);
    if (side === undefined) return false;
    this.#upTo = position;
    const observed = observationOf(data, this.#canary.scope, side === this.#tried ? this.#canary.generation : undefined);
    side.queries++;
    if (observed.empty) side.empty++;
    side.latest.push(observed);
    if (side.latest.length > BASELINE_WINDOW) side.latest.shift();
    if (side !== this.#tried || !isLook(side.queries)) return false;
    this.#regressions = regressions(side.latest, this.#active.latest, this.#canary.thresholds, side.queries / LOOK_EVERY).map(
      ({ measure, tried: canary, baseline: active, p, level }) => ({ measure, canary, active, p, level }),
    );
    return this.#regressions.length > 0;
  }

  /** Undefined before the first query. */
  evidence(): CanaryEvidence | undefined {
    if (this.#upTo === undefined) return undefined;
    const [canary, active] = [figuresOf(this.#tried), figuresOf(this.#active)];
    return { canary, active, findings: this.#regressions, upTo: String(this.#upTo) };
  }

  /** Searches by words only say nothing about a model. */
  #sideOf({ strategy, generations }: RetrievalRecordData): Side | undefined {
    const { scope, generation, against } = this.#canary;
    const searched = generations.find((one) => one.scope === scope);
    if (searched === undefined || strategy === 'SparseOnly') return undefined;
    if (searched.failedCanary === generation) return this.#tried;
    if (searched.generation === generation && searched.canary === true) return this.#tried;
    return searched.generation === against ? this.#active : undefined;
  }
}

/** A canary that could not answer counts as an empty answer, though its caller got one from the active generation. */
const observationOf = (
  { generations, hits, latencyMs }: RetrievalRecordData,
  scope: VectorScope,
  canary: string | undefined,
): Observation => {
  const searched = generations.find((one) => one.scope === scope);
  if (canary !== undefined && searched?.failedCanary === canary) return { empty: true };
  return {
    empty: hits.length === 0,
    latency: latencyMs,
    ...(searched?.topStandard === undefined ? {} : { score: searched.topStandard }),
    ...(searched?.agreement === undefined ? {} : { agreement: searched.agreement }),
  };
};

/** Counts since the start; the rest over the latest queries. */
const figuresOf = ({ queries, empty, latest }: Side): CanarySide => {
  const latencies = valuesOf(latest, 'latency').toSorted((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((share) => latencies[Math.max(0, Math.ceil(share * latencies.length) - 1)]);
  const [score, agreement] = [meanOf(latest, 'score'), meanOf(latest, 'agreement')];
  return {
    queries,
    empty,
    ...(p50 === undefined ? {} : { latencyP50: p50 }),
    ...(p95 === undefined ? {} : { latencyP95: p95 }),
    ...(score === undefined ? {} : { score }),
    ...(agreement === undefined ? {} : { agreement }),
  };
};

const valuesOf = (latest: readonly Observation[], of: 'latency' | 'score' | 'agreement'): readonly number[] =>
  latest.flatMap((one) => one[of] ?? []);

const meanOf = (latest: readonly Observation[], of: 'score' | 'agreement'): number | undefined => {
  const values = valuesOf(latest, of);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
};
