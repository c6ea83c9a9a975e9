import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hit } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

/** File systems keep nanoseconds that `utimes` cannot restore. With whole seconds, a change can be hidden from the file times. */
const WHOLE_SECOND = new Date(1_700_000_000_000);
/** The time that a busy machine may need to project everything again. */
const PATIENCE_MS = 180_000;
const SEARCH = { query: 'beacon by the harbour', topK: 20 };

describe('a byte of an index that changed after a clean stop, with unchanged file times', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let before: readonly Hit[];

  const indexFiles = async () =>
    (await readdir(join(data, 'read-models'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && /[/\\](?:vectors|lexical)$/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name));
  const marks = async () => (await readdir(join(data, 'read-models'))).filter((name) => name.endsWith('.synced')).sort();
  const start = (options = {}) => PlatformUnderTest.start(data, standIn.settings(), options);
  /** Stops the platform and leaves file times that a test can restore. */
  const atRest = async (running: PlatformUnderTest) => {
    await running.stop();
    // The start notes these times, unless it rewrites files, for example to merge the journal of the lexical index.
    for (let rewritten = true; rewritten;) {
      for (const path of await indexFiles()) await utimes(path, WHOLE_SECOND, WHOLE_SECOND);
      await (await start()).stop();
      rewritten = (await Promise.all((await indexFiles()).map((path) => stat(path)))).some(
        ({ mtimeMs }) => mtimeMs !== WHOLE_SECOND.getTime(),
      );
    }
    expect(await marks()).toEqual(['lexical.synced', 'vectors.synced']);
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const platform = await start();
    expect(await marks()).toEqual([]);
    for (let i = 0; i < 8; i++) await submitText(platform.client, { sourceId: `${i}.md`, text: `Beacon ${i} stands by the harbour.` });
    // Large enough for the lexical index to merge its words into a base file.
    const words = Array.from({ length: 40_000 }, (_, i) => `word${i.toString(36)}${i % 40 === 39 ? '.\n\n' : ''}`);
    await submitText(platform.client, { sourceId: 'large.md', text: words.join(' ') });
    before = (await platform.client.search(SEARCH)).hits;
    expect(before.length).toBeGreaterThan(8);
    await atRest(platform);
  }, 2 * PATIENCE_MS);

  it.each([['vectors.dat'], ['base'], ['journal'], ['vectors.dat', 'base']].map((names) => ({ names })))(
    'in $names never leads to missing results and is repaired',
    async ({ names }) => {
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
      await eventually(
        'the damage was found and repaired',
        async () => {
          const { status, json } = await platform.ask('POST /v1/search', { json: SEARCH });
          if (status === 503) return (refused++, undefined);
          expect(status).toBe(200);
          expect((json as unknown as { hits: readonly Hit[] }).hits.map(({ chunkId, score }) => [chunkId, score])).toEqual(
            before.map(({ chunkId, score }) => [chunkId, score]),
          );
          return /index of .* is damaged and is rebuilt from the log/.test(platform.stderr) || undefined;
        },
        PATIENCE_MS,
      );
      expect(refused).toBeGreaterThan(0);
      await eventually(
        'the platform is ready',
        async () => (await platform.ask('GET /health/ready')).status === 200 || undefined,
        PATIENCE_MS,
      );
      expect((await platform.client.search(SEARCH)).hits).toEqual(before);
      expect(platform.stderr.split('\n').filter((line) => /index of .* is damaged and is rebuilt from the log/.test(line))).toHaveLength(
        names.length,
      );
      expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
      await atRest(platform);
    },
    2 * PATIENCE_MS,
  );

  it(
    'is found at the start when the file times changed',
    async () => {
      const path = (await indexFiles()).find((file) => file.endsWith('vectors.dat')) ?? '';
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(50) ^ 0x20, 50);
      await writeFile(path, bytes);
      const platform = await start();
      expect((await platform.client.search(SEARCH)).hits).toEqual(before);
      expect(platform.stderr).not.toContain('is damaged and is rebuilt');
      expect(await platform.client.operations.verify()).toMatchObject({ clean: true });
      await platform.stop();
    },
    2 * PATIENCE_MS,
  );
});
