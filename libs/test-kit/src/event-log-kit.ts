import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streamName, type EventLog, type StreamName } from '@palimpsest/knowledge/ports';
import fc from 'fast-check';
import { appendPromises } from './event-log-append-promises.ts';
import { concurrencyPromises } from './event-log-concurrency-promises.ts';
import { anEvent, collect, type CurrentLog, type EventLogUnderTest } from './event-log-fixture.ts';
import { followPromises } from './event-log-follow-promises.ts';
import { EventLogModel } from './event-log-model.ts';
import { readPromises } from './event-log-read-promises.ts';
import { retentionPromises } from './event-log-retention-promises.ts';
import { truncationPromises } from './event-log-truncation-promises.ts';

/** The contract of `EventLog`. `open` is called once per test and returns a log without events. */
export const describeEventLog = (name: string, open: () => Promise<EventLogUnderTest>) =>
  describe(`${name} as an EventLog`, () => {
    let underTest: EventLogUnderTest;
    const current: CurrentLog = () => underTest;
    beforeEach(async () => {
      underTest = await open();
    });
    afterEach(() => underTest.dispose());

    describe('append', () => appendPromises(current));
    describe('reading', () => readPromises(current));
    describe('follow', () => followPromises(current));
    describe('concurrency', () => concurrencyPromises(current));
    describe('retention', () => retentionPromises(current));
    describe('truncation', () => truncationPromises(current));

    it('behaves like a plain list for any appends', async () => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(anAppend, { maxLength: 20 }), (appends) => behavesAsTheModel(current().log, (run += 1), appends)),
        { numRuns: 20 },
      );
    });
  });

/** `expected`: the true last revision, or the given one. Few ids and streams, so that appends repeat and overlap. */
type RandomAppend = Readonly<{ stream: number; ids: readonly number[]; expected: number | 'no-stream' | 'true' }>;

const anAppend: fc.Arbitrary<RandomAppend> = fc.record({
  stream: fc.nat(1),
  ids: fc.oneof(
    fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 3 }),
    fc.nat(1e9).map((id) => [id]),
  ),
  expected: fc.oneof({ weight: 3, arbitrary: fc.constant('true' as const) }, fc.constant('no-stream' as const), fc.nat(4)),
});

const uuidOf = (run: number, id: number): string => `${String(run).padStart(8, '0')}-0000-4000-8000-${String(id).padStart(12, '0')}`;

const behavesAsTheModel = async (log: EventLog, run: number, appends: readonly RandomAppend[]): Promise<void> => {
  const model = new EventLogModel();
  const streams: readonly StreamName[] = [0, 1].map((number) => streamName('model', String(run), String(number)));
  for (const append of appends) {
    const stream = streams[append.stream] ?? streamName('model');
    const ids = append.ids.map((id) => uuidOf(run, id));
    const expected = append.expected === 'true' ? model.last(stream) : append.expected;
    expect(
      await log.append(
        stream,
        ids.map((id) => anEvent({ id })),
        expected,
      ),
    ).toMatchObject(model.append(stream, ids, expected));
  }
  const all = (await collect(log.readAll())).filter(({ stream }) => streams.includes(stream));
  expect(all.map(({ id, stream, revision }) => ({ id, stream, revision }))).toEqual(model.events);
  for (const stream of streams) expect(await collect(log.readStream(stream))).toEqual(all.filter((event) => event.stream === stream));
};
