import { Gauge, type Registry } from 'prom-client';
import type { VerificationRecord } from '@palimpsest/contracts/http';

/** The verifications of this process. `everyHours`: 0 if they are not scheduled. `past`: the newest first. */
export type VerificationFigures = Readonly<{ running: boolean; everyHours: number; past: readonly VerificationRecord[] }>;

type Read = () => VerificationFigures;

const STORES = ['vectors', 'lexical', 'catalog'] as const;
const KINDS = ['missing', 'extra', 'different'] as const;

/** The last one that was completed. */
export const lastCompleted = (past: VerificationFigures['past']): VerificationRecord | undefined =>
  past.find(({ reason }) => reason === undefined);

/** Metrics of verifications, read at each scrape from the source that `watch` sets. Before the first one is complete, there are none. */
export const createVerificationInstruments = (registers: Registry[]): Readonly<{ watch: (read: Read | undefined) => void }> => {
  let read: Read | undefined;
  const last = (): VerificationRecord | undefined => read && lastCompleted(read().past);
  const gauge = (name: string, help: string, of: (verification: VerificationRecord) => number): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        const verification = last();
        if (verification === undefined) this.remove();
        else this.set(of(verification));
      },
    });
  gauge(
    'palimpsest_verify_last_timestamp_seconds',
    'Unix time at which the last complete verification of the read models of this process began',
    ({ startedAt }) => Date.parse(startedAt) / 1_000,
  );
  gauge('palimpsest_verify_duration_seconds', 'Duration of the last complete verification', ({ seconds }) => seconds);
  gauge('palimpsest_verify_chunks', 'Chunks of all generations that the last complete verification compared', ({ chunks = 0 }) => chunks);
  gauge(
    'palimpsest_verify_findings',
    'Damage of the log, keys and uploads that the last complete verification found',
    ({ damage = 0 }) => damage,
  );
  void new Gauge({
    name: 'palimpsest_verify_differences',
    help: 'Differences between the read models and the log that the last complete verification found, by store and kind',
    labelNames: ['store', 'kind'] as const,
    registers,
    collect() {
      this.reset();
      const verification = last();
      if (verification === undefined) return;
      for (const store of STORES) for (const kind of KINDS) this.set({ store, kind }, 0);
      for (const { store, kind, count } of verification.differences ?? []) this.set({ store, kind }, count);
    },
  });
  return { watch: (source) => void (read = source) };
};
