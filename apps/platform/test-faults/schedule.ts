import { pause } from '../test/eventually.ts';
import type { Recovery } from './recovery.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ServerFaults } from './server-faults.ts';
import { SERVICES, type Supervisor } from './supervisor.ts';

/** Longer than a consumer's session (10 s): the group goes on without it, and it comes back and thinks that nothing was. */
const FROZEN_MS = 14_000;
const QDRANT_AWAY_MS = 60_000;
const KILLS_AT_A_TIME = 5;

export type Act = Readonly<{ kind: string; run: () => Promise<void> }>;
type Stage = Readonly<{ supervisor: Supervisor; faults: ServerFaults; recovery: Recovery; random: SeededRandom; killsPerService: number }>;

/**
 * Every fault there is to be: kills first, since the re-embedding has just begun, then all others in an order that the seed
 * gives. After each one the installation recovers, which is measured.
 */
export const scheduleOf = (stage: Stage): readonly Act[] => {
  const { supervisor, faults, recovery, random, killsPerService } = stage;
  const kill = async (times: number, dice: SeededRandom): Promise<void> => {
    await Promise.all(SERVICES.map((service) => supervisor.killAtRandom(service, times, dice.fork())));
  };
  const thenMeasured = (kind: string, run: () => Promise<void>): Act => ({ kind, run: () => run().then(() => recovery.measure(kind)) });
  const times = (count: number, kind: string, run: () => Promise<void>): readonly Act[] => Array.from({ length: count }, () => thenMeasured(kind, run));
  const [whileQdrantIsAway = 0, ...inTurn] = split(killsPerService);
  const kills = inTurn.map((count) => thenMeasured('services killed', () => kill(count, random.fork())));
  const others = random.shuffled([
    ...kills.slice(1),
    ...times(3, 'broker killed', () => faults.killBroker(random.between(1_000, 4_000))),
    ...times(3, 'log: connections dropped', () => faults.dropConnectionsOfTheLog()),
    ...times(3, 'log killed', () => faults.killTheLog(random.between(500, 4_000))),
    // Some die while it is away, and start without it.
    ...times(1, 'Qdrant away for a minute', async () => {
      await Promise.all([faults.takeQdrantAway(QDRANT_AWAY_MS), pause(5_000).then(() => kill(whileQdrantIsAway, random.fork()))]);
    }),
    ...times(1, 'Qdrant killed', () => faults.killQdrant(random.between(500, 3_000))),
    ...times(4, 'S3 answers errors', () => faults.failingS3(random.between(2_000, 6_000))),
    ...times(1, 'consumer frozen', () => freezeIngestion(supervisor)),
    ...times(2, 'delivered again, out of order', () => faults.redeliverOutOfOrder(random.fork())),
    // What runs now would write its checkpoint again, so it ends before.
    ...times(1, 'published twice', () => supervisor.killAllAndStart('ingestion', () => faults.forgetRelay())),
  ]);
  return [...kills.slice(0, 1), ...others];
};

/** Into pieces of a few kills, as even as can be. */
const split = (total: number): readonly number[] => {
  // One of them is for the time without Qdrant, and one at least for the re-embedding.
  const pieces = Math.max(2, Math.ceil(total / KILLS_AT_A_TIME));
  return Array.from({ length: pieces }, (_, i) => Math.floor((total * (i + 1)) / pieces) - Math.floor((total * i) / pieces));
};

const freezeIngestion = async (supervisor: Supervisor): Promise<void> => {
  const child = supervisor.slotsOf('ingestion')[0]?.child;
  if (!child) throw new Error('there is no ingestion process to freeze');
  child.signal('SIGSTOP');
  await pause(FROZEN_MS);
  child.signal('SIGCONT');
};
