import type { Journal } from '@palimpsest/contracts';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import { awaitsEvaluation } from '@palimpsest/knowledge/evaluation';
import type { GenerationId } from '@palimpsest/knowledge/values';
import type { EvaluateBuilt } from './evaluate-built.ts';
import type { Run } from './run.ts';

/** Stops swaps whose model fails, so that an administrator sees why, instead of a dead letter: it pauses them, or leaves them to a person. */
export class PauseSwaps {
  readonly #journal: Journal;
  readonly #evaluate: Pick<EvaluateBuilt, 'failed'>;
  readonly #now: () => string;

  constructor(journal: Journal, evaluate: Pick<EvaluateBuilt, 'failed'>, now: () => string) {
    this.#journal = journal;
    this.#evaluate = evaluate;
    this.#now = now;
  }

  /** Returns whether the swap is paused or has ended, so that its message has no work left. False if none is being built. */
  async byPlatform(run: Run, reason: string, generation?: GenerationId): Promise<boolean> {
    const { scope, correlationId } = run;
    if (generation !== undefined && awaitsEvaluation((await this.#journal.load(decider, scopeStream(scope))).state, generation)) {
      await this.#evaluate.failed(run, reason);
      return true;
    }
    const command = {
      type: 'Pause' as const,
      scope: scope.scope,
      ...(generation === undefined ? {} : { generation }),
      reason,
      by: 'platform' as const,
      now: this.#now(),
    };
    try {
      await this.#journal.execute(decider, scopeStream(scope), command, { ...scope, actor: 'reembedding-worker', correlationId });
      return true;
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
  }
}
