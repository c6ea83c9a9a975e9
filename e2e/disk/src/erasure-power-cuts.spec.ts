import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOrder } from '@palimpsest/e2e-support/crash/orders';
import { FaultyDisk, type DiskOrder } from '@palimpsest/e2e-support/disk/faulty-disk';
import { NOTHING_SURVIVES, type Survives } from '@palimpsest/e2e-support/disk/power-cut';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { wholeFrom } from '@palimpsest/e2e-support/whole-from';
import { searchFolder, textProbes, type Probe } from '@palimpsest/foundation';
import { eventually } from '@palimpsest/test-kit/eventually';

/** Power cuts at writes in regular intervals; all with PALIMPSEST_DISK_EVERY=true. */
const CUTS = process.env['PALIMPSEST_DISK_EVERY'] === 'true' ? Infinity : wholeFrom('PALIMPSEST_DISK_ERASURE_CUTS', 40);
const SEED = wholeFrom('PALIMPSEST_DISK_SEED', Math.floor(Date.now() / 1000) % 1_000_000);
const SCOPE = 'team:people';
const DOCUMENTS = 6;
const PATIENCE_MS = 120_000;
const ACTIONS = ['kill-before', 'kill-within', 'kill-after'] as const;

describe(`an erasure with a power cut at each of its writes (PALIMPSEST_DISK_SEED=${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const disk = FaultyDisk.make();
  const probes: Probe[] = [];
  let standIn: EmbeddingStandIn;
  let template: string;
  let before: unknown;
  let writes: number;

  const start = () => PlatformUnderTest.start(disk.root, { ...standIn.settings(), ...disk.settings(), PALIMPSEST_LOG_LEVEL: 'error' });
  const secret = (): string => {
    const word = Array.from({ length: 12 }, () => random.oneOf([...'bcdfghjklmnpqrstvwxz'])).join('');
    probes.push(...textProbes(word, word));
    return word;
  };
  const publicAnswer = async ({ client }: PlatformUnderTest) => {
    const { hits } = await client.search({ query: 'harbour lighthouse', scopes: ['deployment'], topK: 20 });
    return hits.map(({ chunkId, score, text }) => ({ chunkId, score, text }));
  };
  const residue = async () => (await searchFolder(disk.root, probes)).found;
  const reset = async (): Promise<void> => {
    disk.heal();
    await rm(disk.root, { recursive: true, force: true });
    await cp(template, disk.root, { recursive: true });
    disk.forget();
  };
  /** False also if the process has ended. */
  const isCompleted = async ({ client }: PlatformUnderTest): Promise<boolean> =>
    (await client.erasures.get(SCOPE).catch(() => undefined))?.state === 'completed';
  const completed = (platform: PlatformUnderTest) =>
    eventually('the erasure is complete', async () => (await isCompleted(platform)) || undefined, PATIENCE_MS);

  beforeAll(async () => {
    [standIn, template] = [await EmbeddingStandIn.open(), await aDataFolder()];
    const platform = await start();
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'people', scope: SCOPE, name: secret() });
    for (let n = 0; n < DOCUMENTS; n++) {
      const text = `# ${secret()}\n\nThe harbour lighthouse ${secret()}.`;
      const labels = { of: secret() };
      await submitText(client, { knowledgeBase: 'people', sourceId: `${secret()}.md`, title: secret(), text, labels });
      await submitText(client, { sourceId: `public-${n}.md`, text: `Public harbour lighthouse number ${n}.` });
    }
    before = await publicAnswer(platform);
    await platform.stop();
    await cp(disk.root, template, { recursive: true });
    const keys = join(template, 'blobs', 'keys');
    for (const entry of await readdir(keys, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && /team/.test(join(entry.parentPath, entry.name)))
        probes.push({ name: 'wrapped key', bytes: await readFile(join(entry.parentPath, entry.name)) });
    expect((await residue()).has('wrapped key')).toBe(true);

    await reset();
    const undisturbed = await start();
    const first = disk.records().length;
    await undisturbed.client.erasures.start(SCOPE, SCOPE);
    await completed(undisturbed);
    writes = disk.records().length - first;
    await undisturbed.kill();
    expect(await residue()).toEqual(new Map());
    process.stdout.write(`\n${writes} writes, syncs and changes of names in an erasure\n`);
  });

  /** Erases until the process is killed at its n-th write, cuts the power, and starts again. */
  const cutAt = async (order: DiskOrder, survives: Survives) => {
    await reset();
    const platform = await start();
    disk.order(order);
    const acknowledged = await platform.client.erasures.start(SCOPE, SCOPE).then(
      () => true,
      () => false,
    );
    await eventually(
      'it is killed, or complete',
      async () => disk.fired().count > 0 || (await isCompleted(platform)) || undefined,
      PATIENCE_MS,
    );
    await platform.kill();
    const { count, name } = disk.fired();
    disk.heal();
    const lost = disk.powerCut(survives);
    const again = await start();
    const { state } = await again.client.erasures.get(SCOPE);
    if (state === 'none' && !acknowledged) await again.client.erasures.start(SCOPE, SCOPE);
    await completed(again);
    const [answer, left] = [await publicAnswer(again), await residue()];
    const { clean } = await again.client.operations.verify();
    await again.stop();
    return { fired: count > 0 ? name : undefined, lost, found: { answer, left, stopped: await residue(), clean } };
  };

  it('completes after the next start, leaves no secret in any file, and changes no answer of another scope', async () => {
    const stride = Math.max(1, Math.floor(writes / CUTS));
    const met = new Map<string, number>();
    let lost = 0;
    for (let n = 1 + Math.floor(random.next() * stride); n <= writes; n += stride) {
      const order = { action: random.oneOf(ACTIONS), name: '*', first: n, last: n };
      const result = await cutAt(order, random.next() < 0.5 ? NOTHING_SURVIVES : () => random.next() < 0.5);
      if (result.fired !== undefined) met.set(result.fired, (met.get(result.fired) ?? 0) + 1);
      lost += result.lost;
      if (process.env['PALIMPSEST_DISK_LOG'] !== undefined) process.stdout.write(`\n${describeOrder(order)} → ${result.fired}`);
      expect({ order: describeOrder(order), at: result.fired, ...result.found }).toEqual({
        order: describeOrder(order),
        at: result.fired,
        ...{ answer: before, left: new Map(), stopped: new Map(), clean: true },
      });
    }
    const cuts = [...met.values()].reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `\n${cuts} power cuts at ${met.size} names, ${lost} changes lost: ${[...met].map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
    );
    expect(cuts).toBeGreaterThan(0);
  });
});
