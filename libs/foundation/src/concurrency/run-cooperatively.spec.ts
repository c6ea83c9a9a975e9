import { runToCompletion, runCooperatively } from './run-cooperatively.ts';

/** Steps that take a few milliseconds each. */
function* slowly(steps: number): Generator<number, string> {
  for (let step = 0; step < steps; step++) {
    for (const began = performance.now(); performance.now() - began < 3;);
    yield step;
  }
  return 'done';
}

describe('cooperative work', () => {
  it('returns the result of the work', async () => {
    expect(await runCooperatively(slowly(3))).toBe('done');
  });

  it('lets other work run in between', async () => {
    let others = 0;
    const timer = setInterval(() => others++, 0);
    await runCooperatively(slowly(20));
    clearInterval(timer);
    expect(others).toBeGreaterThan(0);
  });

  it('can also run without pauses', () => expect(runToCompletion(slowly(2))).toBe('done'));

  it('passes on errors', async () => {
    const failing = (function* (): Generator<undefined, void> {
      yield undefined;
      throw new Error('the third page is missing');
    })();
    await expect(runCooperatively(failing)).rejects.toThrow('the third page is missing');
  });
});
