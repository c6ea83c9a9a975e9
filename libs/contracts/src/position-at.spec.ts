import fc from 'fast-check';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { EventLog, ReadAllOptions, RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { positionAt } from './position-at.ts';

type Recorded = Readonly<{ position: bigint; ms: number }>;

const timeOf = (ms: number): string => new Date(ms).toISOString();

/**
 * A log that holds nothing but positions and times, and counts the events that it returns. `strict`: it is read only from positions of its
 * events.
 */
const logOf = (events: readonly Recorded[], { strict = false } = {}) => {
  const read: Position[] = [];
  const log: Pick<EventLog, 'head' | 'readAll'> = {
    head: async () => (events.at(-1)?.position ?? START) as Position,
    readAll: async function* ({ from = START, limit = Infinity }: ReadAllOptions = {}) {
      if (strict && from !== START && !events.some(({ position }) => position === from))
        throw new InvalidValue('position', 'a position that this log returned', 'another position');
      for (const { position, ms } of events.filter((one) => one.position > from).slice(0, limit)) {
        read.push(position as Position);
        yield { position: position as Position, recordedAt: timeOf(ms) } as RecordedEvent;
      }
    },
  };
  return { log, read };
};

/** Positions with gaps, and times in any order, as after changes of the clock. */
const anyLog = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 1_000 }), ms: fc.integer({ min: 0, max: 50 }) }), { maxLength: 60 })
  .map((steps) => {
    let position = 0n;
    return steps.map(({ gap, ms }): Recorded => ({ position: (position += BigInt(gap)), ms }));
  });
const inOrder = (events: readonly Recorded[]): readonly Recorded[] => {
  const times = events.map(({ ms }) => ms).sort((a, b) => a - b);
  return events.map(({ position }, i) => ({ position, ms: times[i] ?? 0 }));
};

describe.each([{ strict: false }, { strict: true }])('The position of a time, on a log with %j', (kind) => {
  it('is that of the last event until then', () =>
    fc.assert(
      fc.asyncProperty(anyLog.map(inOrder), fc.integer({ min: -1, max: 51 }), async (events, ms) => {
        const expected = events.findLast((event) => event.ms <= ms)?.position ?? START;
        expect(await positionAt(logOf(events, kind).log, timeOf(ms))).toBe(expected);
      }),
    ));

  it('never becomes earlier for a later time, whatever the clock did', () =>
    fc.assert(
      fc.asyncProperty(anyLog, async (events) => {
        const { log } = logOf(events, kind);
        let before: Position = START;
        for (let ms = -1; ms <= 51; ms++) {
          const found = await positionAt(log, timeOf(ms));
          expect(found).toBeGreaterThanOrEqual(before);
          before = found;
        }
      }),
    ));
});

describe('The position of a time, by bisection', () => {
  it('is the same after the log has grown, up to twice its positions, even if the clock was set back', async () => {
    const events = Array.from({ length: 40 }, (_, i) => ({ position: BigInt(33 + i), ms: i % 7 === 3 ? 1 : i * 10 }));
    const grown = [...events, ...Array.from({ length: 50 }, (_, i) => ({ position: BigInt(73 + i), ms: 500 + i }))];
    for (let ms = 0; ms < 400; ms += 5)
      expect(await positionAt(logOf(grown).log, timeOf(ms))).toBe(await positionAt(logOf(events).log, timeOf(ms)));
  });

  it('takes few reads of one event, also where positions are bytes of files', async () => {
    const { log, read } = logOf(Array.from({ length: 1_000 }, (_, i) => ({ position: BigInt(i + 1) * 1_000_000_007n, ms: i })));
    expect(await positionAt(log, timeOf(617))).toBe(618n * 1_000_000_007n);
    expect(read.length).toBeLessThan(60);
  });
});

describe('The position of a time on a log that is read only from its events', () => {
  const events = Array.from({ length: 10_000 }, (_, i) => ({ position: BigInt(i + 1) * 7n, ms: i }));

  it('is found by reading the log once, and from then on by reading a part', async () => {
    const { log, read } = logOf(events, { strict: true });
    expect(await positionAt(log, timeOf(9_500))).toBe(9_501n * 7n);
    expect(read.length).toBeGreaterThan(9_000);
    read.length = 0;
    for (const ms of [1, 999, 5_432, 9_499]) expect(await positionAt(log, timeOf(ms))).toBe(BigInt(ms + 1) * 7n);
    expect(read.length).toBeLessThan(4 * 1_002);
  });

  it('fails where the log fails', async () => {
    const { log } = logOf(events);
    log.readAll = () => {
      throw new InvalidValue('limit', 'another limit', 1);
    };
    await expect(positionAt(log, timeOf(5))).rejects.toThrow('limit');
  });
});
