import { SeededRandom } from '../test-faults/seeded-random.ts';
import { pause } from '../test/eventually.ts';
import type { DiskOrder } from '../test/disk/faulty-disk.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { recordedEvents } from '../test/recorded-events.ts';
import { Lane } from './lane.ts';
import { countsOf, evenly, killAnywhere, killsAt, tell } from './orders.ts';
import { FATES, liveThrough, sound } from './stories.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from './whole-from.ts';
import { changeOfModel, UNSPEAKABLE } from './work.ts';

/** The whole platform is slow to start: most kills are the engine's. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_PLATFORM_KILLS', 4);
const KILLS_BETWEEN_CHANGES = 20;
/** So many of them while scopes go over to another model. */
const KILLS_OF_A_CHANGE = 6;
/** So many of the kills come at named writes; the others anywhere. */
const NAMED = 3 / 4;
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);

describe(`a platform that is killed, and whose power is cut, seen over HTTP (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const tally = new Tally();
  let standIn: EmbeddingStandIn;
  let names = new Set<string>();

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
  });
  afterAll(() => void process.stdout.write(tally.summary('platform', names)));

  /** The counts of writes of one life in which nothing happens. */
  const learnt = async (lane: Lane): Promise<ReadonlyMap<string, number>> => {
    lane.disk.forget();
    expect((await lane.live()).problems).toEqual([]);
    const counts = countsOf(lane.disk.records());
    names = new Set([...names, ...counts.keys()]);
    return counts;
  };

  /** So many kills, most of them at named writes, that such a life can meet. */
  const ordersOf = (counts: ReadonlyMap<string, number>, kills: number): readonly DiskOrder[] => {
    const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const named = evenly(killsAt(counts, random).map((order) => ({ order })), Math.ceil(kills * NAMED), random).map(({ order }) => order);
    return random.shuffled([...named, ...Array.from({ length: kills - named.length }, () => killAnywhere(calls, random))]);
  };

  it('keeps what it promised, and no more than once, after kills and power cuts', async () => {
    const lane = new Lane({ standIn, powerCuts: true });
    expect((await lane.live()).problems).toEqual([]);
    const ofARound = await learnt(lane);
    await lane.changeModel('two');
    lane.add(...changeOfModel());
    const ofAChange = await learnt(lane);
    for (let left = KILLS; left > 0; left -= KILLS_BETWEEN_CHANGES) {
      const kills = Math.min(left, KILLS_BETWEEN_CHANGES);
      const amidChange = Math.min(KILLS_OF_A_CHANGE, kills >> 1);
      await lane.changeModel(lane.model === 'one' ? 'two' : 'one');
      lane.add(...changeOfModel());
      const orders = [...ordersOf(ofAChange, amidChange), ...ordersOf(ofARound, kills - amidChange)];
      // What a kill leaves unsynced, a power cut some lives later may still take.
      const never = await liveThrough({ mortal: lane, fate: () => random.oneOf(FATES), random, tally }, orders, () => Promise.resolve());
      await sound(lane);
      process.stdout.write(`\n${orders.length - never.length} of ${orders.length} orders carried out, ${lane.rounds} rounds of work so far; never: ${never.map(tell).join(', ') || 'none'}\n`);
    }
  });

  it('told to stop in the middle of work, ends well, and goes on where it was', async () => {
    const slow = await EmbeddingStandIn.open();
    slow.beforeAnswer = () => pause(150);
    const data = await aDataFolder();
    const settings = { ...slow.settings(), PALIMPSEST_LOG_LEVEL: 'error' };
    const first = await PlatformUnderTest.start(data, settings);
    const documents = Array.from({ length: 8 }, (_, n) => ({ name: `on-its-way-${n}.md`, content: Buffer.from(`# Number ${n}\n\nWhat is on its way, number ${n}.`) }));
    const { documents: submitted } = await first.client.documents.upload(documents);
    expect(await first.stop()).toMatchObject({ code: 0, signal: null });
    slow.beforeAnswer = () => Promise.resolve();
    const second = await PlatformUnderTest.start(data, settings);
    const accepted = submitted.filter((one) => one.status !== 'rejected');
    const { documents: after, gone } = await second.client.waitFor(accepted, { pollMs: 20 });
    expect({ gone, statuses: after.map(({ status }) => status) }).toEqual({ gone: [], statuses: documents.map(() => 'indexed') });
    expect((await second.client.operations.verify()).clean).toBe(true);
    const indexed = (await recordedEvents(data)).filter(({ type }) => type === 'DocumentIndexed').map(({ data: { documentId, version } }) => `${String(documentId)} ${String(version)}`);
    expect(new Set(indexed).size).toBe(documents.length);
    expect(indexed.length).toBe(documents.length);
    await second.stop();
  });
});
