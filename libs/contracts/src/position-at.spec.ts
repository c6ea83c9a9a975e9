import fc from 'fast-check';
import type { EventLog, ReadAllOptions, RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { positionAt } from './position-at.ts';

type Recorded = Readonly<{ position: bigint; ms: number }>;

const timeOf = (ms: number): string => new Date(ms).toISOString();

/** A log that holds nothing but positions and times, and counts the events that it returns. */
const logOf = (events: readonly Recorded[]) => {
  const read: Position[] = [];
  const log: Pick<EventLog, 'head' | 'readAll'> = {
    head: async () => (events.at(-1)?.position ?? START) as Position,
    readAll: async function* ({ from = START, limit = Infinity }: ReadAllOptions = {}) {
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

describe('The position of a time', () => {
  it('is that of the last event until then', () =>
    fc.assert(
      fc.asyncProperty(anyLog.map(inOrder), fc.integer({ min: -1, max: 51 }), async (events, ms) => {
        const expected = events.findLast((event) => event.ms <= ms)?.position ?? START;
        expect(await positionAt(logOf(events).log, timeOf(ms))).toBe(expected);
      }),
    ));

  it('never becomes earlier for a later time, whatever the clock did', () =>
    fc.assert(
      fc.asyncProperty(anyLog, async (events) => {
        const { log } = logOf(events);
        let before: Position = START;
        for (let ms = -1; ms <= 51; ms++) {
          const found = await positionAt(log, timeOf(ms));
          expect(found).toBeGreaterThanOrEqual(before);
          before = found;
        }
      }),
    ));

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
