import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { EventLog, RecordedEvent } from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';

type Log = Pick<EventLog, 'head' | 'readAll'>;

/**
 * The position of the last event that was recorded at a time or before it; START if there is none. Later times never give earlier
 * positions, also where the clock of a server was set back. Events of the time itself may still arrive if it has not passed.
 *
 * It is found by bisection, with some 60 reads of one event. Where they are made depends on the time and on the number of digits of the
 * end of the log only, so a log that grows gives the same answer again. A log that is read only from positions of its events (EventStoreDB)
 * is read from the start, once for each process; later calls begin where that has been before.
 * @param time ISO 8601 in UTC
 */
export const positionAt = async (log: Log, time: string): Promise<Position> => {
  const until = Date.parse(time);
  try {
    return await bisected(log, until);
  } catch (error) {
    if (error instanceof InvalidValue && error.field === 'position') return scanned(log, until);
    throw error;
  }
};

const bisected = async (log: Log, until: number): Promise<Position> => {
  const head = await log.head();
  let [before, end] = [START, powerAbove(head)];
  while (end - before > 1n) {
    const middle = ((before + end) / 2n) as Position;
    const next = middle >= head ? undefined : await firstAfter(log, middle);
    if (next !== undefined && next.position <= end && Date.parse(next.recordedAt) <= until) before = next.position;
    else end = middle;
  }
  const last = before >= head ? undefined : await firstAfter(log, before);
  return last !== undefined && last.position <= end && Date.parse(last.recordedAt) <= until ? last.position : before;
};

const powerAbove = (position: Position): Position => {
  let power = 1n;
  while (power <= position) power *= 2n;
  return power as Position;
};

const firstAfter = async (log: Log, from: Position): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readAll({ from, limit: 1 })) return event;
  return undefined;
};

/** Everything up to `position` was recorded until `latest`, in milliseconds since 1970. */
type Sample = Readonly<{ position: Position; latest: number }>;

/** Events between two samples: 24 bytes of memory for each. */
const SAMPLE_EVERY = 1_000;
const SAMPLES = new WeakMap<Log, Sample[]>();

/** The last position before the first event that was recorded later. */
const scanned = async (log: Log, until: number): Promise<Position> => {
  const samples = SAMPLES.get(log) ?? [];
  SAMPLES.set(log, samples);
  let { position, latest } = samples.findLast((sample) => sample.latest <= until) ?? { position: START, latest: 0 };
  let read = 0;
  for await (const event of log.readAll(position === START ? {} : { from: position })) {
    const at = Date.parse(event.recordedAt);
    if (at > until) break;
    [position, latest] = [event.position, Math.max(latest, at)];
    if (++read % SAMPLE_EVERY === 0 && position > (samples.at(-1)?.position ?? START)) samples.push({ position, latest });
  }
  return position;
};
