import { SeededRandom } from '../test-faults/seeded-random.ts';
import { pause } from '../test/eventually.ts';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { recordedEvents } from '../test/recorded-events.ts';
import { Lane } from './lane.ts';
import { countsOf, killAnywhere, killsAt, tell } from './orders.ts';
import { FATES, liveThrough, sound } from './stories.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from './whole-from.ts';
import { changeOfModel, UNSPEAKABLE } from './work.ts';

/** The whole platform is slow to start: most kills are the engine's. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_PLATFORM_KILLS', 4);
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

  it('keeps what it promised, and no more than once, after kills and power cuts', async () => {
    const lane = new Lane({ standIn, powerCuts: true });
    await lane.live();
    lane.disk.forget();
    await lane.live();
    await lane.changeModel('two');
    lane.add(...changeOfModel());
    await lane.live();
    const later = countsOf(lane.disk.records());
    names = new Set(later.keys());
    const calls = Math.ceil([...later.values()].reduce((sum, count) => sum + count, 0) / 2);
    const named = random.shuffled(killsAt(later, random)).slice(0, Math.ceil((KILLS * 3) / 4));
    const orders = [...named, ...Array.from({ length: KILLS - named.length }, () => killAnywhere(calls, random))];
    lane.disk.forget();
    // What a kill leaves unsynced, a power cut some lives later may still take.
    const fates = Array.from({ length: KILLS }, (_, n) => FATES[n % FATES.length] ?? 'kill');
    const never = await liveThrough({ mortal: lane, fate: () => fates.pop() ?? random.oneOf(FATES), random, tally }, orders, async (kills) => {
      if (kills % 20 !== 4) return;
      await sound(lane);
      await lane.changeModel(lane.model === 'one' ? 'two' : 'one');
      lane.add(...changeOfModel());
    });
    await sound(lane);
    process.stdout.write(`\n${KILLS - never.length} of ${KILLS} orders carried out over ${lane.rounds} rounds of work; never: ${never.map(tell).join(', ') || 'none'}\n`);
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
