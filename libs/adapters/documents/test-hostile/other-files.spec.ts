import { HOSTILE_KINDS, OTHER_KINDS } from '../test/hostile/all-kinds.ts';
import { describeHostileFiles } from '../test/hostile/hostile-suite.ts';

describeHostileFiles('others', OTHER_KINDS);

describe('kinds of hostile files', () => {
  it('have a name each', () => {
    const names = Object.values(HOSTILE_KINDS)
      .flat()
      .map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
