import { QuietTurns } from './quiet-turns.ts';

/** Turns that pass when told to, each of one millisecond unless told otherwise. */
const aLoop = () => {
  const turns: (() => void)[] = [];
  let now = 0;
  const turn = (ms = 1): void => {
    now += ms;
    turns.splice(0).forEach((work) => work());
  };
  return { quiet: new QuietTurns((work) => void turns.push(work), () => now), turn };
};

describe('work that waits for a quiet turn', () => {
  it('begins when a turn has passed in which nobody came', () => {
    const { quiet, turn } = aLoop();
    let began = false;
    quiet.arrived();
    quiet.later(() => (began = true));
    turn(0);
    expect(began).toBe(false);
    turn(0);
    expect(began).toBe(true);
  });

  it('waits while others come, for a share of what the work before took and no longer', () => {
    const { quiet, turn } = aLoop();
    let began = false;
    quiet.later(() => (began = true));
    turn(100);
    let turns = 0;
    for (; !began && turns < 1_000; turns++) {
      quiet.arrived();
      turn();
    }
    expect(turns).toBe(8);
  });
});
