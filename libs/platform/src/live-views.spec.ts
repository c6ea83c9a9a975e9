import type { CorePorts } from './core-ports.ts';
import { viewsOf } from './live-views.ts';

describe('The live view', () => {
  it('knows when a query last asked for it', () => {
    let now = 5_000;
    const views = viewsOf({ system: { clock: { now: () => 0, elapsed: () => now } } } as CorePorts);
    expect(views.sinceLastMs()).toBe(Infinity);
    views.live();
    expect(views.sinceLastMs()).toBe(0);
    now += 250;
    expect(views.sinceLastMs()).toBe(250);
  });
});
