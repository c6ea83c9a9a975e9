import { DDSketch } from '@datadog/sketches-js';

/** In milliseconds. Without measurements, only `count` is present. */
export type LatencyView = Readonly<{ count: number; mean?: number; p50?: number; p95?: number }>;

/** Maximum relative error of percentiles. */
const ACCURACY = 0.01;

/** A distribution of times in bounded memory, allocated on the first measurement. */
export class Latency {
  #sketch: DDSketch | undefined;

  add(ms: number): void {
    if (!Number.isFinite(ms)) return;
    (this.#sketch ??= new DDSketch({ relativeAccuracy: ACCURACY })).accept(Math.max(0, ms));
  }

  view(): LatencyView {
    return viewOf(this.#sketch);
  }

  /** Merges several distributions. */
  static of(latencies: readonly Latency[]): LatencyView {
    const merged = new DDSketch({ relativeAccuracy: ACCURACY });
    for (const latency of latencies) if (latency.#sketch) merged.merge(latency.#sketch);
    return viewOf(merged);
  }
}

const viewOf = (sketch: DDSketch | undefined): LatencyView => {
  if (!sketch || sketch.count === 0) return { count: 0 };
  const { count, sum } = sketch;
  return { count, mean: rounded(sum / count), p50: rounded(sketch.getValueAtQuantile(0.5)), p95: rounded(sketch.getValueAtQuantile(0.95)) };
};

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000;
