import { Prng } from './kernel/prng.ts';

/**
 * Everything that a run depends on, besides the code. Times in milliseconds of simulated time, probabilities from 0 to 1 and per call.
 * A run is repeated with all of them, not only with the seed: how options follow from a seed may change.
 */
export type SimulationOptions = Readonly<{
  seed: number;
  /** How long faults happen. After that, everything must become right. */
  chaosMs: number;
  /** How long the platform may take after the last fault until all work is done. */
  healWithinMs: number;
  documentsPerTenant: number;
  /** Changes of each document: new versions and deletions. */
  changesPerDocument: number;
  /** A server refuses a call before it has any effect. */
  refused: number;
  /** A server does its work, but the answer is lost. */
  lostAnswers: number;
  /** A call takes up to two seconds. */
  slow: number;
  /** A message is delivered again although its acknowledgement arrived. */
  duplicates: number;
  /** A write to a local disk fails without an effect. */
  diskFaults: number;
  /** Crashes of processes, of which some are power cuts: what was not flushed is lost. */
  crashes: number;
  powerCuts: number;
  /** Processes that hang for up to 20 seconds, longer than a lease. */
  hangs: number;
  /** Times in which no process reaches a server. */
  outages: number;
  /** Clocks of processes differ from the real time by up to this. */
  skewMs: number;
  /** Whether the scopes change to another model meanwhile. */
  swap: boolean;
  /** Rebuilds of the read models of a query service. */
  rebuilds: number;
  /** Times in which a knowledge base is paused. */
  pauses: number;
  /** The name of a planted bug; see `mutants`. */
  mutant?: string;
}>;

/** The options of a seed. `over` replaces some of them. */
export const optionsOf = (seed: number, over: Partial<SimulationOptions> = {}): SimulationOptions => {
  const prng = new Prng(Math.imul(seed + 1, 0x9e3779b1));
  const sometimes = (max: number): number => (prng.chance(0.5) ? prng.between(0, max) : 0);
  return {
    seed,
    chaosMs: prng.int(30_000, 60_000),
    healWithinMs: 300_000,
    documentsPerTenant: prng.int(1, 3),
    changesPerDocument: prng.int(2, 5),
    refused: sometimes(0.02),
    lostAnswers: sometimes(0.02),
    slow: sometimes(0.02),
    duplicates: sometimes(0.2),
    diskFaults: sometimes(0.02),
    crashes: prng.int(0, 8),
    powerCuts: prng.between(0, 1),
    hangs: prng.int(0, 4),
    outages: prng.int(0, 2),
    skewMs: prng.int(0, 5_000),
    swap: prng.chance(0.5),
    rebuilds: prng.int(0, 1),
    pauses: prng.int(0, 1),
    ...over,
  };
};

/** For the environment variable that repeats a run. */
export const printed = (options: SimulationOptions): string => JSON.stringify(options);
