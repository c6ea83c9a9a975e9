import { QuietTurns } from './quiet-turns.ts';

/** Turns that pass when told to. */
const aLoop = () => {
  const turns: (() => void)[] = [];
  return { quiet: new QuietTurns((work) => void turns.push(work)), turn: () => turns.splice(0).forEach((work) => work()) };
};

describe('work that waits for a quiet turn', () => {
  it('begins when a turn has passed in which nobody came', () => {
    const { quiet, turn } = aLoop();
    let began = false;
    quiet.arrived();
    quiet.later(() => (began = true));
    turn();
    expect(began).toBe(false);
    turn();
    expect(began).toBe(true);
  });

  it('waits while others come, but not for ever', () => {
    const { quiet, turn } = aLoop();
    let began = false;
    quiet.later(() => (began = true));
    let turns = 0;
    for (; !began && turns < 1_000; turns++) {
      quiet.arrived();
      turn();
    }
    expect(turns).toBe(65);
  });
});
