import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { describeOrder } from '@palimpsest/e2e-support/crash/orders';
import { nameOf } from '@palimpsest/e2e-support/disk/disk-journal';
import { FaultyDisk, type DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { NOTHING_SURVIVES } from '@palimpsest/e2e-support/disk/power-cut';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { eventually } from '@palimpsest/test-kit/eventually';

const CUTS = process.env['PALIMPSEST_DISK_EVERY'] === 'true' ? Infinity : wholeFrom('PALIMPSEST_DISK_PAST_CUTS', 16);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const DOCUMENTS = 12;
const ACTIONS = ['kill-before', 'kill-within', 'kill-after'] as const;
/** Files and folders of past views; see tools/disk-faults/path-classes.txt. */
const OF_THE_PAST = 'past view*';

describe(`a copy of the live read models for a moment in the past, on a failing disk (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const disk = FaultyDisk.make();
  let standIn: EmbeddingStandIn;
  let template: string;
  let position: string;
  let then: unknown;
  let now: unknown;
  /** Writes, syncs and changes of names in a copy; and those that write contents. */
  let writes: number;
  let contents: number;

  const start = () => PlatformUnderTest.start(disk.root, { ...standIn.settings(), ...disk.settings(), PALIMPSEST_LOG_LEVEL: 'error' });
  const answer = async ({ client }: PlatformUnderTest, asOf?: string) => {
    const { hits } = await client.search({ query: 'harbour lighthouse', topK: 20, ...(asOf === undefined ? {} : { asOf }) });
    return hits.map(({ chunkId, score, text }) => ({ chunkId, score, text }));
  };
  const leftovers = () => readdir(join(disk.root, 'past-views')).catch(() => []);
  const reset = async (): Promise<void> => {
    disk.heal();
    await rm(disk.root, { recursive: true, force: true });
    await cp(template, disk.root, { recursive: true });
    disk.forget();
  };
  const copies = async (platform: PlatformUnderTest): Promise<number> =>
    Number(/^palimpsest_past_views_total\{.*made_from="copy".*\} (\d+)$/m.exec((await platform.ask('GET /metrics')).text)?.[1]);

  beforeAll(async () => {
    [standIn, template] = [await EmbeddingStandIn.open(), await aDataFolder()];
    const platform = await start();
    const { client } = platform;
    const submit = (n: number, what: string) =>
      submitText(client, { sourceId: `${n}.md`, text: `# Number ${n}\n\nThe harbour lighthouse ${n} ${what}.` });
    for (let n = 0; n < DOCUMENTS; n++) await submit(n, 'is white');
    ({ position } = await client.search({ query: 'harbour' }));
    then = await answer(platform);
    for (let n = 0; n < DOCUMENTS / 3; n++) await submit(n, 'is red, and taller than before');
    await platform.stop();
    await cp(disk.root, template, { recursive: true });

    await reset();
    const undisturbed = await start();
    now = await answer(undisturbed);
    expect(await answer(undisturbed, position)).toEqual(then);
    expect(await copies(undisturbed)).toBe(1);
    const records = disk.records().filter(({ class: of }) => of.startsWith('past view'));
    writes = records.length;
    contents = records.filter((record) => nameOf(record) === 'past view write').length;
    await undisturbed.stop();
  });

  /** Kills the platform at the n-th write of the copy, cuts the power, and starts again. */
  const cutAt = async (order: DiskOrder, isPowerCut: boolean) => {
    await reset();
    const platform = await start();
    disk.order(order);
    await answer(platform, position).catch(() => undefined);
    await eventually('it is killed, or has answered', async () => disk.fired().count > 0 || (await copies(platform)) > 0 || undefined);
    await platform.kill();
    const { count } = disk.fired();
    disk.heal();
    if (isPowerCut) disk.powerCut(NOTHING_SURVIVES);
    const again = await start();
    const found = {
      left: await leftovers(),
      now: await answer(again),
      then: await answer(again, position),
      clean: (await again.client.operations.verify()).clean,
      copies: await copies(again),
      ended: (await again.stop()).code,
      leftAtTheEnd: await leftovers(),
    };
    return { isFired: count > 0, found };
  };

  it('can be killed and lose its power anywhere: the live read models are whole, nothing is left, and the next search gets its answer', async () => {
    const stride = Math.max(1, Math.floor(writes / CUTS));
    let fired = 0;
    for (let n = 1 + Math.floor(random.next() * stride); n <= writes; n += stride) {
      const order = { action: random.oneOf(ACTIONS), name: OF_THE_PAST, first: n, last: n };
      const { isFired, found } = await cutAt(order, random.next() < 0.5);
      if (isFired) fired++;
      expect({ order: describeOrder(order), ...found }).toEqual({
        order: describeOrder(order),
        ...{ left: [], now, then, clean: true, copies: 1, ended: 0, leftAtTheEnd: [] },
      });
    }
    process.stdout.write(`\n${fired} kills at ${writes} writes, syncs and changes of names in a copy\n`);
    expect(fired).toBeGreaterThan(0);
  });

  it.each(['ENOSPC', 'EIO'] as const)(
    'says with %s that it is unavailable, while live searches go on, and is made when the disk works',
    async (action) => {
      await reset();
      const platform = await start();
      disk.order({ action, name: 'past view write', first: 1, last: 1_000_000_000 });
      expectProblem(await platform.ask('POST /v1/search', { json: { query: 'harbour lighthouse', asOf: position } }), 503, 'Unavailable');
      expect(disk.fired().count).toBeGreaterThan(0);
      expect(await answer(platform)).toEqual(now);
      await eventually('nothing of it is left', async () => (await leftovers()).length === 0 || undefined);
      disk.heal();
      expect(await answer(platform, position)).toEqual(then);
      expect((await platform.client.operations.verify()).clean).toBe(true);
      expect((await platform.stop()).code).toBe(0);
    },
  );

  it('is built from the log if only the copy fails', async () => {
    await reset();
    const platform = await start();
    const middle = Math.ceil(contents / 2);
    disk.order({ action: 'ENOSPC', name: 'past view write', first: middle, last: middle });
    expect(await answer(platform, position)).toEqual(then);
    expect([disk.fired().count, await copies(platform)]).toEqual([1, 0]);
    disk.heal();
    expect(await answer(platform)).toEqual(now);
    expect((await platform.stop()).code).toBe(0);
  });
});
