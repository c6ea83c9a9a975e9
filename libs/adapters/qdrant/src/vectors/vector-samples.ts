import { NO_SPREAD, partitionKey, type IndexPartition, type ScoreSpread } from '@palimpsest/knowledge/read-models';
import type { PartitionPoints } from '../partitions/partition-points.ts';
import { embeddedScore } from './embedded-score.ts';

/** Sample size per partition: the standard error of a deviation is 4.4 %. */
const SAMPLE = 256;
/** Partitions whose samples are cached: 400 kB each at 384 dimensions. */
const REMEMBERED = 200;
/** Scores are summed as multiples of this step, so that their order does not matter; as in the embedded index. */
const STEP = 2 ** -19;

type Sample = Readonly<{ count: number; vectors: readonly Float32Array[]; readAt: number }>;

/**
 * The server does not report the spread of a query's scores, so some vectors of each partition are cached here: those of the lowest
 * point ids, which are hashes. A sample is read again when it is older than `maxAgeMs`, so a spread may be that old.
 */
export class VectorSamples {
  readonly #maxAgeMs: number;
  readonly #samples = new Map<string, Promise<Sample>>();

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  async spread(partition: IndexPartition, points: PartitionPoints, using: string, query: Float32Array): Promise<ScoreSpread> {
    const { count, vectors } = await this.#sampleOf(partitionKey(partition), points, using);
    if (vectors.length === 0) return NO_SPREAD;
    let [sum, squares] = [0, 0];
    for (const vector of vectors) {
      const steps = Math.round(embeddedScore(vector, query) / STEP);
      sum += steps;
      squares += steps * steps;
    }
    const mean = sum / vectors.length;
    return { count, mean: mean * STEP, deviation: Math.sqrt(Math.max(0, squares / vectors.length - mean * mean)) * STEP };
  }

  async #sampleOf(key: string, points: PartitionPoints, using: string): Promise<Sample> {
    const known = this.#samples.get(key);
    if (known !== undefined && performance.now() - (await known).readAt < this.#maxAgeMs) return known;
    const reading = Promise.all([points.count(), points.sample(SAMPLE, using)]).then(([count, sampled]) => {
      const vectors = sampled.flat();
      // A point has as many vectors as its chunk. Exact if the sample is the whole partition.
      return {
        count: sampled.length === 0 ? 0 : Math.round((count * vectors.length) / sampled.length),
        vectors,
        readAt: performance.now(),
      };
    });
    this.#remember(key, reading);
    // A failure affects only the pending callers; the next one reads again.
    reading.catch(() => this.#samples.get(key) === reading && this.#samples.delete(key));
    return reading;
  }

  #remember(key: string, sample: Promise<Sample>): void {
    this.#samples.delete(key);
    this.#samples.set(key, sample);
    const [oldest] = this.#samples.keys();
    if (this.#samples.size > REMEMBERED && oldest !== undefined) this.#samples.delete(oldest);
  }
}
