import { pause } from '@palimpsest/foundation';
import type { Recovery } from './recovery.ts';
import type { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { ServerFaults } from './server-faults.ts';
import { SERVICES, type Supervisor } from './supervisor.ts';

/** Longer than the session of a consumer (10 s): the group continues without it, and it resumes without knowing that. */
const FROZEN_MS = 14_000;
const QDRANT_AWAY_MS = 60_000;
const KILLS_AT_A_TIME = 5;

export type Act = Readonly<{ kind: string; run: () => Promise<void> }>;
type Stage = Readonly<{ supervisor: Supervisor; faults: ServerFaults; recovery: Recovery; random: SeededRandom; killsPerService: number }>;

/**
 * All faults: first kills, because the re-embedding has just started, then all others in an order that depends on the seed. The recovery
 * after each fault is measured.
 */
export const scheduleOf = (stage: Stage): readonly Act[] => {
  const { supervisor, faults, recovery, random, killsPerService } = stage;
  const kill = async (times: number, own: SeededRandom): Promise<void> => {
    await Promise.all(SERVICES.map((service) => supervisor.killAtRandom(service, times, own.fork())));
  };
  const thenMeasured = (kind: string, run: () => Promise<void>): Act => ({ kind, run: () => run().then(() => recovery.measure(kind)) });
  const times = (count: number, kind: string, run: () => Promise<void>): readonly Act[] =>
    Array.from({ length: count }, () => thenMeasured(kind, run));
  const [killsDuringOutage = 0, ...counts] = split(killsPerService);
  const kills = counts.map((count) => thenMeasured('services killed', () => kill(count, random.fork())));
  const others = random.shuffled([
    ...kills.slice(1),
    ...times(3, 'broker killed', () => faults.killBroker(random.between(1_000, 4_000))),
    ...times(3, 'log: connections dropped', () => faults.dropConnectionsOfTheLog()),
    ...times(3, 'log killed', () => faults.killTheLog(random.between(500, 4_000))),
    // Some services are killed during the outage and start without Qdrant.
    ...times(1, 'Qdrant unavailable for a minute', async () => {
      await Promise.all([faults.stopQdrant(QDRANT_AWAY_MS), pause(5_000).then(() => kill(killsDuringOutage, random.fork()))]);
    }),
    ...times(1, 'Qdrant killed', () => faults.killQdrant(random.between(500, 3_000))),
    ...times(4, 'S3 returns errors', () => faults.failingS3(random.between(2_000, 6_000))),
    ...times(1, 'consumer frozen', () => freezeIngestion(supervisor)),
    ...times(2, 'redelivered out of order', () => faults.redeliverOutOfOrder(random.fork())),
    // A running process would write its checkpoint again, so all are killed first.
    ...times(1, 'published twice', () => supervisor.killAllAndStart('ingestion', () => faults.forgetRelay())),
  ]);
  return [...kills.slice(0, 1), ...others];
};

/** Splits the kills into small, equal groups. */
const split = (total: number): readonly number[] => {
  // One group is for the outage of Qdrant, and at least one for the re-embedding.
  const groups = Math.max(2, Math.ceil(total / KILLS_AT_A_TIME));
  return Array.from({ length: groups }, (_, i) => Math.floor((total * (i + 1)) / groups) - Math.floor((total * i) / groups));
};

const freezeIngestion = async (supervisor: Supervisor): Promise<void> => {
  const child = supervisor.slotsOf('ingestion')[0]?.child;
  if (!child) throw new Error('no ingestion process is running');
  child.signal('SIGSTOP');
  await pause(FROZEN_MS);
  child.signal('SIGCONT');
};
