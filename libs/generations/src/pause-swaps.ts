import type { Journal } from '@palimpsest/contracts';
import { scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { GenerationId } from '@palimpsest/knowledge/values';
import type { Run } from './build-generation.ts';

/** Pauses swaps whose model fails, so that an administrator sees why, instead of a dead letter. */
export class PauseSwaps {
  readonly #journal: Journal;
  readonly #now: () => string;

  constructor(journal: Journal, now: () => string) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Returns whether the swap is paused or has ended, so that its message has no work left. False if none is being built. */
  async byPlatform({ scope, correlationId }: Run, reason: string, generation?: GenerationId): Promise<boolean> {
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
