export type StageTiming = Readonly<{ stage: string; ms: number; candidates: number }>;

/** Measures the stages of one search; parallel stages each report their own time. */
export class Stages {
  readonly #timings: StageTiming[] = [];
  readonly #started = performance.now();

  async measure<T>(stage: string, work: () => Promise<T> | T, candidates: (result: T) => number = () => 0): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#timings.push({ stage, ms: rounded(performance.now() - started), candidates: candidates(result) });
    return result;
  }

  timings(): Readonly<{ totalMs: number; stages: readonly StageTiming[] }> {
    return { totalMs: rounded(performance.now() - this.#started), stages: this.#timings };
  }
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
