import { asThePlatform } from './evaluation/as-the-platform.ts';
import type { EvaluateGeneration } from './evaluation/evaluate-generation.ts';
import type { EvaluationRuns } from './evaluation/evaluation-runs.ts';
import type { Run } from './run.ts';

const ACTOR = 'reembedding-worker';

/** Evaluates a generation whose swap has a gate. Its cut-over follows from the verdict. */
export class EvaluateBuilt {
  readonly #evaluate: EvaluateGeneration;

  readonly #runs: EvaluationRuns;

  constructor(evaluate: EvaluateGeneration, runs: EvaluationRuns) {
    this.#evaluate = evaluate;
    this.#runs = runs;
  }

  async run({ scope, correlationId, signal }: Run): Promise<void> {
    await this.#runs.ofPlatform(scope, signal, (run) =>
      this.#evaluate.run(asThePlatform(scope, ACTOR), {}, { by: 'platform', actor: ACTOR, correlationId, ...run }),
    );
  }

  /** The generation waits for a person, who sees the reason. */
  async failed({ scope, correlationId, signal }: Run, reason: string): Promise<void> {
    await this.#evaluate.failed(asThePlatform(scope, ACTOR), reason, { actor: ACTOR, correlationId, signal });
  }
}
