import { inTime, SYSTEM } from '@palimpsest/foundation';
import { queueDepth } from '@palimpsest/ingestion';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { CaughtUp } from '../caught-up.ts';
import type { MetricSources } from '../metrics/scrape.ts';
import type { Gauges } from './bucket.ts';

/** Models of active generations that this process cannot use, with the number of scopes that need each. */
type MissingModels = readonly Readonly<{ embeddingVersion: EmbeddingVersion; scopes: number }>[];
/** `complete`: no source failed or timed out. */
export type Reading = Readonly<{ gauges: Gauges; missingModels?: MissingModels; complete: boolean }>;

/** Timeout of a source, in milliseconds; a slower source is left out. */
const SOURCE_MS = 2_000;
/** How long a reading is reused, because the number of requests is not limited. A slow reading is reused for longer. */
const FRESH_MS = 1_000;
const FRESH_PER_MS_OF_READING = 10;

/** Reads the values that are not counted as they happen: the queue depth, the lag of the read models, and missing models. */
export class GaugeReader {
  readonly #sources: MetricSources;
  readonly #caughtUp: CaughtUp;
  #latest: Promise<Reading> | undefined;
  #freshUntil = 0;

  constructor(sources: MetricSources, caughtUp: CaughtUp) {
    this.#sources = sources;
    this.#caughtUp = caughtUp;
  }

  read(): Promise<Reading> {
    if (this.#latest === undefined || SYSTEM.clock.elapsed() >= this.#freshUntil) {
      this.#freshUntil = Infinity;
      this.#latest = this.#read();
    }
    return this.#latest;
  }

  async #read(): Promise<Reading> {
    const began = SYSTEM.clock.elapsed();
    const parts = await Promise.all([this.#queue(), this.#projection()].map((part) => inTime(part, SOURCE_MS, undefined)));
    const missingModels = await inTime(this.#missingModels(), SOURCE_MS, undefined);
    const now = SYSTEM.clock.elapsed();
    this.#freshUntil = now + Math.max(FRESH_MS, (now - began) * FRESH_PER_MS_OF_READING);
    const complete = !parts.includes(undefined) && missingModels !== undefined;
    return { gauges: Object.assign({}, ...parts), ...(missingModels ? { missingModels } : {}), complete };
  }

  async #missingModels(): Promise<MissingModels> {
    const { catalog, embeddings } = this.#sources;
    if (!catalog || !embeddings) return [];
    const [scopes, configured] = [await catalog.scopes(), embeddings.versions()];
    const needed = new Map<EmbeddingVersion, number>();
    for (const { embeddingVersion, status } of scopes.flatMap(({ generations }) => generations))
      if (status === 'active' && !configured.includes(embeddingVersion))
        needed.set(embeddingVersion, (needed.get(embeddingVersion) ?? 0) + 1);
    return [...needed].map(([embeddingVersion, count]) => ({ embeddingVersion, scopes: count }));
  }

  async #queue(): Promise<Gauges> {
    const { catalog, bus } = this.#sources;
    if (!catalog || !bus) return {};
    const { waiting, held } = await queueDepth(catalog, bus);
    return { queueDepth: waiting, held };
  }

  async #projection(): Promise<Gauges> {
    const { runner, log } = this.#sources;
    if (!runner || !log) return {};
    const head = await log.head();
    const behind = (await runner.progress()).map(({ position }) => (head > position ? Number(head - position) : 0));
    const lagPositions = Math.max(0, ...behind);
    if (lagPositions === 0) this.#caughtUp.now();
    return { lagPositions, lagMs: lagPositions === 0 ? 0 : Math.round(this.#caughtUp.secondsAgo() * 1_000) };
  }
}
