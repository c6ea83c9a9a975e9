import { atOnce, inTurns } from './in-turns.ts';

/** Steps that take some milliseconds each. */
function* slowly(steps: number): Generator<number, string> {
  for (let step = 0; step < steps; step++) {
    for (const began = performance.now(); performance.now() - began < 3; );
    yield step;
  }
  return 'done';
}

describe('work in turns', () => {
  it('answers what the work returns', async () => {
    expect(await inTurns(slowly(3))).toBe('done');
  });

  it('lets others work in between', async () => {
    let others = 0;
    const timer = setInterval(() => others++, 0);
    await inTurns(slowly(20));
    clearInterval(timer);
    expect(others).toBeGreaterThan(0);
  });

  it('may also be done at once', () => expect(atOnce(slowly(2))).toBe('done'));

  it('passes on what goes wrong', async () => {
    const failing = (function* (): Generator<undefined, void> {
      yield undefined;
      throw new Error('the third page is missing');
    })();
    await expect(inTurns(failing)).rejects.toThrow('the third page is missing');
  });
});
