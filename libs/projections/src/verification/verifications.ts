import { SYSTEM, timestamp, type System } from '@palimpsest/foundation';
import type { Position } from '@palimpsest/knowledge/values';
import type { Difference } from './difference.ts';
import type { Verification, VerifyOrder, VerifyReadModels } from './verify-read-models.ts';

/** Results that are kept in memory. */
const KEPT = 20;

export type Trigger = 'scheduled' | 'requested' | 'repair';

export type DifferenceCount = Readonly<Pick<Difference, 'store' | 'kind'> & { count: number }>;

/** A verification that has ended. `damage`: sentences about the log, keys and uploads. `reason`: why it could not be completed. */
export type PastVerification = Readonly<{ startedAt: string; trigger: Trigger; seconds: number }> &
  (
    | Readonly<{ reason: string }>
    | Readonly<{
        clean: boolean;
        full: boolean;
        position: Position;
        chunks: number;
        differences: readonly DifferenceCount[];
        damage: number;
      }>
  );

/** Runs verifications, and remembers their results for as long as the process runs. */
export class Verifications {
  readonly #verify: Pick<VerifyReadModels, 'run'>;
  readonly #system: System;
  /** The newest first. */
  #past: readonly PastVerification[] = [];
  #running = 0;

  constructor(verify: Pick<VerifyReadModels, 'run'>, system: System = SYSTEM) {
    this.#verify = verify;
    this.#system = system;
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  past(): readonly PastVerification[] {
    return this.#past;
  }

  /** A failure is remembered, too. */
  async run(trigger: Trigger, order: VerifyOrder = {}): Promise<Verification> {
    const { clock } = this.#system;
    const [startedAt, began] = [timestamp(clock), clock.elapsed()];
    const remember = (result: ReturnType<typeof summaryOf> | Readonly<{ reason: string }>): void => {
      const seconds = (clock.elapsed() - began) / 1_000;
      this.#past = [{ startedAt, trigger, seconds, ...result }, ...this.#past].slice(0, KEPT);
    };
    this.#running++;
    try {
      const verification = await this.#verify.run(order);
      remember(summaryOf(verification));
      return verification;
    } catch (error) {
      remember({ reason: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      this.#running--;
    }
  }
}

const summaryOf = ({ clean, full, position, partitions, differences, logDamage, keyDamage, uploadDamage }: Verification) => ({
  clean,
  full,
  position,
  chunks: partitions.reduce((sum, { chunks }) => sum + chunks, 0),
  differences: countsOf(differences),
  damage: [logDamage, keyDamage, uploadDamage].reduce((sum, sentences = []) => sum + sentences.length, 0),
});

const countsOf = (differences: readonly Difference[]): readonly DifferenceCount[] => {
  const counts = new Map<string, DifferenceCount>();
  for (const { store, kind } of differences)
    counts.set(`${store} ${kind}`, { store, kind, count: (counts.get(`${store} ${kind}`)?.count ?? 0) + 1 });
  return [...counts.values()];
};
