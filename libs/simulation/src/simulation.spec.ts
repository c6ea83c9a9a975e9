import { pause, SYSTEM } from '@palimpsest/foundation';
import { withoutAmbient } from './kernel/without-ambient.ts';
import { optionsOf, printed, type SimulationOptions } from './options.ts';
import { simulate, type SimulationOutcome } from './simulate.ts';

const SEEDS = 200;
const PER_TEST = 20;
/** Lines of the trace in a failure report. */
const SHOWN = 60;

/** The options of a run that is to be repeated, as a failure printed them. Its whole trace is printed. */
const REPEATED = process.env['PALIMPSEST_SIMULATION'];

const expectRight = (options: SimulationOptions, { violations, trace }: SimulationOutcome, shown = SHOWN): void => {
  if (violations.length === 0) return;
  const repeat = `repeat it with PALIMPSEST_SIMULATION='${printed(options)}' npx nx test simulation -- simulation.spec`;
  throw new Error([`seed ${options.seed}: ${violations.join('\n')}`, repeat, ...trace.slice(-shown)].join('\n'));
};

const runTwice = async (options: SimulationOptions): Promise<void> => {
  const [first, second] = [await simulate(options), await simulate(options)];
  expectRight(options, first);
  if (first.digest !== second.digest) throw new Error(`two runs of ${printed(options)} differ`);
};

const describeSeeds = (): void => {
  it.each(Array.from({ length: SEEDS / PER_TEST }, (_, i) => PER_TEST * i))(
    `keeps its promises under faults, and does the same twice (${PER_TEST} seeds from %i)`,
    async (from) => {
      for (let seed = from; seed < from + PER_TEST; seed++) await runTwice(optionsOf(seed));
    },
  );

  it('does something else with another seed, and with another fault', async () => {
    const options = optionsOf(1, { hangs: 0 });
    const digests = [options, optionsOf(2, { hangs: 0 }), { ...options, hangs: 1 }].map(async (each) => (await simulate(each)).digest);
    expect(new Set([await digests[0], await digests[1], await digests[2]]).size).toBe(3);
  });

  it('refuses the clock, chance and timers of the process', async () => {
    await expect(withoutAmbient(() => pause(1))).rejects.toThrow('setTimeout was used');
    await expect(withoutAmbient(async () => [SYSTEM.clock.now()])).rejects.toThrow('Date.now was used');
    await expect(withoutAmbient(async () => [SYSTEM.clock.elapsed()])).rejects.toThrow('performance.now was used');
    await expect(withoutAmbient(async () => [SYSTEM.random.next()])).rejects.toThrow('Math.random was used');
    await pause(1);
  });
};

const describeRepeated = (given: string): void => {
  it('is right in the repeated run', async () => {
    const options = JSON.parse(given) as SimulationOptions;
    const outcome = await simulate(options);
    expectRight(options, outcome, outcome.trace.length);
  });
};

describe('a simulated cluster', () => (REPEATED === undefined ? describeSeeds() : describeRepeated(REPEATED)));
