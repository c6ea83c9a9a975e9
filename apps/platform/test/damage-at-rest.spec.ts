import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit } from '@palimpsest/client';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually } from './eventually.ts';
import { handIn } from './hand-in.ts';
import { aDataFolder, PlatformUnderTest } from './platform-under-test.ts';

/** File systems keep nanoseconds that `utimes` cannot put back: with whole seconds, a change leaves no trace in the times. */
const WHOLE_SECOND = new Date(1_700_000_000_000);
/** As long as a busy machine may take to project everything again. */
const PATIENCE_MS = 180_000;
const SEARCH = { query: 'beacon by the harbour', topK: 20 };

describe('a platform that was stopped in good order, and a byte of an index that changed without a trace', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let before: readonly Hit[];

  const indexFiles = async () =>
    (await readdir(join(data, 'read-models'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /[/\\](?:vectors|lexical)$/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name));
  const marks = async () => (await readdir(join(data, 'read-models'))).filter((name) => name.endsWith('.synced')).sort();
  const start = (options = {}) => PlatformUnderTest.start(data, standIn.settings(), options);
  /** Stops, with times that a test can put back. */
  const atRest = async (running: PlatformUnderTest) => {
    await running.stop();
    for (const path of await indexFiles()) await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
    await (await start()).stop();
    expect(await marks()).toEqual(['lexical.synced', 'vectors.synced']);
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const platform = await start();
    expect(await marks()).toEqual([]);
    for (let i = 0; i < 8; i++) await handIn(platform.client, { sourceId: `${i}.md`, text: `Beacon ${i} stands by the harbour.` });
    // Large enough for the words to be merged into a base.
    const words = Array.from({ length: 40_000 }, (_, i) => `word${i.toString(36)}${i % 40 === 39 ? '.\n\n' : ''}`);
    await handIn(platform.client, { sourceId: 'large.md', text: words.join(' ') });
    before = (await platform.client.search(SEARCH)).hits;
    expect(before.length).toBeGreaterThan(8);
    await atRest(platform);
  }, 2 * PATIENCE_MS);

  it.each([['vectors.dat'], ['base'], ['journal'], ['vectors.dat', 'base']].map((names) => ({ names })))('in $names is never answered with fewer hits; all is right again in the end', async ({ names }) => {
    for (const name of names) {
      const path = (await indexFiles()).find((file) => file.endsWith(name)) ?? name;
      const bytes = await readFile(path);
      const at = Math.floor(bytes.length / 2);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
      await writeFile(path, bytes);
      await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
    }
    const platform = await start({ ready: false });
    let refused = 0;
    await eventually('the damage was met and made good', async () => {
      const { status, json } = await platform.ask('POST /v1/search', { json: SEARCH });
      if (status === 503) return (refused++, undefined);
      expect(status).toBe(200);
      expect((json as unknown as { hits: readonly Hit[] }).hits.map(({ chunkId, score }) => [chunkId, score])).toEqual(before.map(({ chunkId, score }) => [chunkId, score]));
      return /are damaged, and are made again from the log/.test(platform.stderr) || undefined;
    }, PATIENCE_MS);
    expect(refused).toBeGreaterThan(0);
    await eventually('it is ready', async () => (await platform.ask('GET /health/ready')).status === 200 || undefined, PATIENCE_MS);
    expect((await platform.client.search(SEARCH)).hits).toEqual(before);
    expect(platform.stderr.split('\n').filter((line) => line.includes('are damaged, and are made again from the log'))).toHaveLength(names.length);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
    await atRest(platform);
  }, 2 * PATIENCE_MS);

  it('is known at the start when it did leave a trace', async () => {
    const path = (await indexFiles()).find((file) => file.endsWith('vectors.dat')) ?? '';
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(50) ^ 0x20, 50);
    await writeFile(path, bytes);
    const platform = await start();
    expect((await platform.client.search(SEARCH)).hits).toEqual(before);
    expect(platform.stderr).not.toContain('are damaged, and');
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
    await platform.stop();
  }, 2 * PATIENCE_MS);
});
