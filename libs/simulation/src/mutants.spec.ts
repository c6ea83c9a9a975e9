import { MUTANTS } from './faults/mutants.ts';
import { optionsOf } from './options.ts';
import { simulate } from './simulate.ts';

/** Seeds within which a planted bug must be found. */
const WITHIN = 50;
const MAX_MISSED = 1;

/** The first seed that finds the bug, and what it noticed. */
const search = async (mutant: string): Promise<Readonly<{ seed: number; noticed: string }> | undefined> => {
  for (let seed = 0; seed < WITHIN; seed++) {
    const { violations } = await simulate(optionsOf(seed, { mutant }));
    const [noticed] = violations;
    if (noticed !== undefined) return { seed, noticed };
  }
  return undefined;
};

describe('planted bugs', () => {
  const names = Object.keys(MUTANTS);

  it(`are found within ${WITHIN} seeds, all ${names.length} but ${MAX_MISSED}`, async () => {
    const missed: string[] = [];
    for (const name of names) {
      const found = await search(name);
      if (found === undefined) missed.push(name);
      // For the table in docs/benchmarks.md.
      process.stdout.write(`${name}: ${found === undefined ? 'not found' : `seed ${found.seed}, ${found.noticed}`}\n`);
    }
    if (missed.length > MAX_MISSED) throw new Error(`not found: ${missed.join(', ')}`);
    expect(names).toHaveLength(15);
  });

  it('must have a known name', async () => {
    const { violations } = await simulate(optionsOf(0, { mutant: 'nothing' }));
    expect(violations).toContainEqual(expect.stringContaining('there is no mutant "nothing"'));
  });
});
