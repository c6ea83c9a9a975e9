import { pause } from '@palimpsest/foundation';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import type { DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { Lane } from '@palimpsest/e2e-support/crash/lane';
import { countsOf, describeOrder, evenly, killAnywhere, killsAt } from '@palimpsest/e2e-support/crash/orders';
import { expectHealthy, INJECTED_FAULTS, runAll } from './scenarios.ts';
import { Tally } from './tally.ts';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { changeOfModel, UNSPEAKABLE } from '@palimpsest/e2e-support/crash/work';

/** The whole platform starts slowly, so most kills are kills of the engine. */
const KILLS = wholeFrom('PALIMPSEST_CRASH_PLATFORM_KILLS', 4);
const KILLS_BETWEEN_CHANGES = 20;
/** Kills during a change of the model. */
const KILLS_OF_A_CHANGE = 6;
/** The fraction of kills at named writes; the others are at random calls. */
const NAMED = 3 / 4;
const SEED = wholeFrom('PALIMPSEST_CRASH_SEED', Math.floor(Date.now() / 1000) % 1_000_000);

describe(`a platform with kills and power cuts, tested over HTTP (PALIMPSEST_CRASH_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const tally = new Tally();
  let standIn: EmbeddingStandIn;
  let names = new Set<string>();

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    standIn.refusal = { when: (text) => text.includes(UNSPEAKABLE), status: 400 };
  });
  afterAll(() => void process.stdout.write(tally.summary('platform', names)));

  /** The write counts of an undisturbed run. */
  const countRun = async (lane: Lane): Promise<ReadonlyMap<string, number>> => {
    lane.disk.forget();
    expect((await lane.run()).problems).toEqual([]);
    const counts = countsOf(lane.disk.records());
    names = new Set([...names, ...counts.keys()]);
    return counts;
  };

  /** Orders for this number of kills, most of them at named writes, that such a run can carry out. */
  const ordersOf = (counts: ReadonlyMap<string, number>, kills: number): readonly DiskOrder[] => {
    const calls = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const named = evenly(
      killsAt(counts, random).map((order) => ({ order })),
      Math.ceil(kills * NAMED),
      random,
    ).map(({ order }) => order);
    return random.shuffled([...named, ...Array.from({ length: kills - named.length }, () => killAnywhere(calls, random))]);
  };

  it('keeps everything acknowledged, exactly once, after kills and power cuts', async () => {
    const lane = new Lane({ standIn, powerCuts: true });
    expect((await lane.run()).problems).toEqual([]);
    const ofARound = await countRun(lane);
    await lane.changeModel('two');
    lane.add(...changeOfModel());
    const ofAChange = await countRun(lane);
    for (let left = KILLS; left > 0; left -= KILLS_BETWEEN_CHANGES) {
      const kills = Math.min(left, KILLS_BETWEEN_CHANGES);
      const duringChange = Math.min(KILLS_OF_A_CHANGE, kills >> 1);
      await lane.changeModel(lane.model === 'one' ? 'two' : 'one');
      lane.add(...changeOfModel());
      const orders = [...ordersOf(ofAChange, duringChange), ...ordersOf(ofARound, kills - duringChange)];
      // A power cut some runs later may still lose what was unsynced at a kill.
      const never = await runAll({ worker: lane, nextFault: () => random.oneOf(INJECTED_FAULTS), random, tally }, orders, () =>
        Promise.resolve(),
      );
      await expectHealthy(lane);
      process.stdout.write(
        `\n${orders.length - never.length} of ${orders.length} orders carried out, ${lane.rounds} rounds of work so far; never: ${never.map(describeOrder).join(', ') || 'none'}\n`,
      );
    }
  });

  it('stops cleanly during work, and continues after the next start', async () => {
    const slow = await EmbeddingStandIn.open();
    slow.beforeAnswer = () => pause(150);
    const data = await aDataFolder();
    const settings = { ...slow.settings(), PALIMPSEST_LOG_LEVEL: 'error' };
    const first = await PlatformUnderTest.start(data, settings);
    const documents = Array.from({ length: 8 }, (_, n) => ({
      name: `on-its-way-${n}.md`,
      content: Buffer.from(`# Number ${n}\n\nWhat is on its way, number ${n}.`),
    }));
    const { documents: submitted } = await first.client.documents.upload(documents);
    expect(await first.stop()).toMatchObject({ code: 0, signal: null });
    slow.beforeAnswer = () => Promise.resolve();
    const second = await PlatformUnderTest.start(data, settings);
    const accepted = submitted.filter((one) => one.status !== 'rejected');
    const { documents: after, gone } = await second.client.waitFor(accepted, { pollMs: 20 });
    expect({ gone, statuses: after.map(({ status }) => status) }).toEqual({ gone: [], statuses: documents.map(() => 'indexed') });
    expect((await second.client.operations.verify()).clean).toBe(true);
    const indexed = (await recordedEvents(data))
      .filter(({ type }) => type === 'DocumentIndexed')
      .map(({ data: { documentId, version } }) => `${String(documentId)} ${String(version)}`);
    expect(new Set(indexed).size).toBe(documents.length);
    expect(indexed.length).toBe(documents.length);
    await second.stop();
  });
});
