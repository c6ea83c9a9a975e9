import * as fc from 'fast-check';
import { Door, type Admitted, type DoorLimit, type Later, type Refusal } from './door.ts';
import { Doors } from './doors.ts';

const LIMIT: DoorLimit = { atOnce: 2, waiting: 2, bytes: 100 };
const FOREVER_MS = 60_000;

/** A door and what became of everyone who came to it. */
const aDoor = (limit: Partial<DoorLimit> = {}, waitMs = FOREVER_MS, tell?: ConstructorParameters<typeof Doors>[1], later: Later = (work) => work()) => {
  const one = { ...LIMIT, ...limit };
  const doors = new Doors({ waitMs, search: one, write: one, read: one }, tell, later);
  const inside: Admitted[] = [];
  const refused: Refusal[] = [];
  const come = (bytes = 0): (() => void) => doors.ask('search', bytes, (admitted) => void inside.push(admitted), (refusal) => void refused.push(refusal));
  return { doors, inside, refused, come, search: () => doors.figures().search };
};

describe('the door of a process', () => {
  it('lets in as many as may, has a few wait, and refuses the rest at once', () => {
    const door = aDoor();
    for (let i = 0; i < 7; i++) door.come();
    expect([door.inside.length, door.refused.length]).toEqual([2, 3]);
    expect(door.search()).toEqual({ active: 2, waiting: 2, refused: 3 });
    for (const { retryAfterSeconds, reason } of door.refused) {
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(reason).toBe('too many requests of this kind are being worked on or waiting');
    }
    for (const { done } of door.inside.slice()) done();
    for (const { done } of door.inside.slice()) done();
  });

  it('lets in one in a turn of the event loop, so that the others are in line or refused before the first is through', () => {
    const turns: (() => void)[] = [];
    const door = aDoor({}, FOREVER_MS, undefined, (work) => void turns.push(work));
    const leaving = Array.from({ length: 7 }, () => door.come());
    expect([door.inside.length, door.search().waiting, door.refused.length]).toEqual([0, 4, 3]);
    turns.shift()?.();
    expect([door.inside.length, door.search().waiting, turns.length]).toEqual([1, 3, 1]);
    turns.shift()?.();
    expect([door.inside.length, door.search().waiting, turns.length]).toEqual([2, 2, 0]);
    for (const leave of leaving) leave();
    expect(door.search().waiting).toBe(0);
  });

  it('gives a place that becomes free to who has waited longest, once', () => {
    const door = aDoor({ atOnce: 1 });
    door.come();
    door.come();
    door.inside[0]?.done();
    door.inside[0]?.done();
    expect(door.inside).toHaveLength(2);
    expect(door.search()).toMatchObject({ active: 1, waiting: 0 });
  });

  it('forgets who leaves while waiting', () => {
    const door = aDoor({ atOnce: 1 });
    door.come();
    const leave = door.come();
    leave();
    door.inside[0]?.done();
    expect(door.inside).toHaveLength(1);
    expect(door.search()).toEqual({ active: 0, waiting: 0, refused: 0 });
  });

  it('refuses who has waited too long', async () => {
    const door = aDoor({ atOnce: 1 }, 1);
    door.come();
    await new Promise<void>((resolve) => void door.doors.ask('search', 0, () => undefined, ({ reason }) => {
      expect(reason).toMatch(/has waited 1 ms/);
      resolve();
    }));
    expect(door.search()).toEqual({ active: 1, waiting: 0, refused: 1 });
  });

  it('lets wait briefly once its line was never empty for as long as one may wait, and as ever when it was', async () => {
    let now = 0;
    const door = new Door({ ...LIMIT, atOnce: 1 }, 100, (work) => work(), () => now);
    const come = (): Promise<string> => new Promise((resolve) => void door.ask(0, () => resolve('let in'), ({ reason }) => resolve(reason)));
    const inside = await new Promise<Admitted>((resolve) => void door.ask(0, resolve, () => undefined));
    const first = come();
    now = 101;
    expect(await come()).toMatch(/has waited 10 ms/);
    expect(await first).toMatch(/has waited 100 ms/);
    expect(await come()).toMatch(/has waited 100 ms/);
    const last = come();
    inside.done();
    expect(await last).toBe('let in');
  });

  it('takes in no more bytes at a time than may, except for one that alone has more', () => {
    const door = aDoor({ atOnce: 10, waiting: 10 });
    door.come(1_000);
    door.come(1);
    expect(door.search()).toMatchObject({ active: 1, waiting: 1 });
    door.inside[0]?.done();
    expect(door.search()).toMatchObject({ active: 1, waiting: 0 });
  });

  it('keeps one kind of work from standing in the way of another', () => {
    const door = aDoor({ atOnce: 1, waiting: 0 });
    door.come();
    let entered = false;
    door.doors.ask('write', 0, () => (entered = true), () => undefined);
    expect(entered).toBe(true);
  });

  it('tells of refusals as they begin, not of each', () => {
    const told: unknown[] = [];
    const door = aDoor({ atOnce: 1, waiting: 0 }, FOREVER_MS, (refused) => told.push(refused));
    for (let i = 0; i < 5; i++) door.come();
    expect(told).toEqual([{ search: 1, write: 0, read: 0 }]);
  });

  it('never has more inside or waiting than may, loses nobody, and is empty in the end', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(150).map((bytes) => ({ bytes })), fc.constant('done' as const), fc.constant('leave' as const)), { maxLength: 60 }), (steps) => {
        const door = aDoor();
        const waiting: (() => void)[] = [];
        let came = 0;
        let left = 0;
        for (const step of steps) {
          if (step === 'done') door.inside.shift()?.done();
          else if (step === 'leave') {
            const before = door.search().waiting;
            waiting.pop()?.();
            if (door.search().waiting < before) left++;
          } else {
            came++;
            const before = door.search().waiting;
            const leave = door.come(step.bytes);
            if (door.search().waiting > before) waiting.push(leave);
          }
          expect(door.search().active).toBeLessThanOrEqual(LIMIT.atOnce);
          // A large body may stand before free places; whoever comes then takes one of these, in line.
          expect(door.search().active + door.search().waiting).toBeLessThanOrEqual(LIMIT.atOnce + LIMIT.waiting);
        }
        for (const leave of waiting) leave();
        while (door.inside.length > 0) door.inside.shift()?.done();
        expect(door.search()).toMatchObject({ active: 0, waiting: 0 });
        expect(came).toBeGreaterThanOrEqual(door.refused.length + left);
      }),
    ));
});
