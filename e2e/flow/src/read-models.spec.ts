import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { currentReadModels } from './current-read-models.ts';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const WORDS = ['anchor', 'beacon', 'candle', 'dagger', 'engine', 'falcon', 'garden', 'hammer', 'island', 'jacket'];
const textOf = (word: string, i: number): string =>
  `# The ${word}\n\nEvery ${word} is found near a ${WORDS[(i + 3) % WORDS.length]}.\n\n## Use\n\nA ${word} helps with the ${WORDS[(i * 7) % WORDS.length]} and the harbour.\n`;
const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;

describe('read models, rebuilt from the log', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let before: Awaited<ReturnType<typeof everything>>;

  const start = async () => (platform = await PlatformUnderTest.start(data, standIn.settings()));
  /** The results of a dozen searches with their scores, as sent over HTTP. */
  const searches = async () => {
    const answers = [];
    for (const strategy of STRATEGIES)
      for (const query of ['harbour engine', 'anchor', 'a candle in the garden', 'nothing of the kind'])
        answers.push((await platform.client.search({ query, strategy, topK: 20, explain: true })).hits);
    return answers;
  };
  const lists = async () => ({
    documents: (await platform.client.documents.list({ limit: 100 })).documents,
    knowledgeBases: await platform.client.knowledgeBases.list(),
  });
  const everything = async () => ({ hits: await searches(), ...(await lists()) });
  const filesBelow = async (...path: string[]) => {
    const entries = await readdir(join(await currentReadModels(data), ...path), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    await platform.client.knowledgeBases.create({ id: 'team', scope: 'team:red' });
    for (const [i, word] of WORDS.entries())
      await submitText(platform.client, {
        sourceId: `${word}.md`,
        text: textOf(word, i),
        labels: { n: String(i) },
        ...(i % 2 ? { knowledgeBase: 'team' } : {}),
      });
    // Every type of history: a new version, a deletion, a new label, a failure.
    await submitText(platform.client, { sourceId: 'anchor.md', text: textOf('anchor', 5) });
    await submitText(platform.client, { sourceId: 'candle.md', text: textOf('candle', 2), labels: { n: 'other' } });
    const { documentId } = await submitText(platform.client, { sourceId: 'gone.md', text: textOf('anchor', 1) });
    await platform.client.documents.remove(documentId);
    standIn.refusal = { when: (text) => text.includes('unspeakable'), status: 400 };
    expect((await submitText(platform.client, { sourceId: 'bad.md', text: 'The unspeakable.' })).document.status).toBe('failed');
    before = await everything();
  });

  it('are the same, bit for bit, without any embedding', async () => {
    const asked = await standIn.askedDuring(async () => {
      const rebuilt = await platform.ask('POST /v1/admin/rebuild');
      expect(rebuilt).toMatchObject({
        status: 200,
        json: {
          documents: WORDS.length + 1,
          chunks: expect.any(Number),
          seconds: expect.any(Number),
          position: expect.stringMatching(/^\d+$/),
        },
      });
    });
    expect(asked).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('verify as clean in every partition, with the same fingerprints each time', async () => {
    const first = await platform.client.operations.verify();
    expect(first).toMatchObject({ clean: true, differences: [] });
    expect(first.partitions.map(({ scope, generation }) => [scope, generation]).sort()).toEqual([
      ['deployment', 'g1'],
      ['team:red', 'g1'],
    ]);
    await platform.client.operations.rebuild();
    expect((await platform.client.operations.verify()).partitions).toEqual(first.partitions);
  });

  it('answer every search during a rebuild as before, and only the new files are left', async () => {
    const answers: unknown[] = [];
    let over = false;
    const asking = (async () => {
      while (!over) answers.push(await searches());
    })();
    await platform.client.operations.rebuild();
    await platform.client.operations.rebuild();
    over = true;
    await asking;
    expect(answers.length).toBeGreaterThan(0);
    for (const answer of answers) expect(answer).toEqual(before.hits);
    const root = join(data, 'read-models');
    const left = await eventually('the previous sets are deleted', async () => {
      const entries = await readdir(root);
      return entries.length === 2 ? entries.sort() : undefined;
    });
    expect(left).toEqual([basename(await currentReadModels(data)), 'current'].sort());
  });

  it('are the previous ones after a kill during a rebuild, and what it left is deleted', async () => {
    const [current, root] = [await currentReadModels(data), join(data, 'read-models')];
    // Opening the second set comes first, so the kill comes in the middle of the rebuild, or after it.
    const rebuilt = platform.client.operations.rebuild().catch(() => undefined);
    await eventually('the second set exists', async () =>
      (await readdir(root)).length > 2 || (await currentReadModels(data)) !== current ? true : undefined,
    );
    await platform.kill();
    await rebuilt;
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await readdir(root)).sort()).toEqual([basename(await currentReadModels(data)), 'current'].sort());
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it('stay correct during concurrent rebuilds and verifications, while documents are submitted', async () => {
    const operations = platform.client.operations;
    /** A second one is refused while the first one runs. */
    const rebuild = async () => expect([200, 409]).toContain((await platform.ask('POST /v1/admin/rebuild')).status);
    const results = await Promise.all([
      operations.verify(),
      rebuild(),
      operations.verify(),
      rebuild(),
      operations.verify(),
      submitText(platform.client, { sourceId: 'meanwhile.md', text: 'Meanwhile.' }).then(({ documentId }) =>
        platform.client.documents.remove(documentId),
      ),
    ]);
    expect(results.flatMap((result) => (result && 'clean' in result ? [result.differences] : []))).toEqual([[], [], []]);
    expect((await operations.verify()).clean).toBe(true);
    expect(await everything()).toEqual(before);
  });

  it('are rebuilt after the whole folder was removed', async () => {
    await platform.stop();
    await rm(join(data, 'read-models'), { recursive: true });
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it.each(['lexical', 'vectors'])('are rebuilt after a single index was removed (%s)', async (index) => {
    await platform.stop();
    await rm(join(await currentReadModels(data), 'default', 'deployment', 'g1', index), { recursive: true });
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it.each(['lexical', 'vectors'])('are repaired after bytes of an index were changed (%s)', async (index) => {
    await platform.stop();
    const [file = ''] = await filesBelow('default', 'deployment', 'g1', index);
    const bytes = await readFile(file);
    for (let at = 100; at < bytes.length; at += 50) bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
    await writeFile(file, bytes);
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it('are rebuilt after the catalog was removed', async () => {
    await platform.stop();
    for (const file of await filesBelow()) if (file.includes('catalog.db')) await rm(file);
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(await everything()).toEqual(before);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it.each(['catalog.db', 'catalog.db-pages'])('are rebuilt with a message after a byte of the catalog was changed (%s)', async (name) => {
    await platform.stop();
    const file = join(await currentReadModels(data), name);
    const bytes = await readFile(file);
    const at = Math.floor(bytes.length * 0.6);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x20, at);
    await writeFile(file, bytes);
    expect(await standIn.askedDuring(start)).toEqual([]);
    expect(platform.stderr).toMatch(/the catalog .* is rebuilt from the log: (?:page \d+ of \d+ was changed|the file with the checksums)/);
    expect(await everything()).toEqual(before);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it('show every manipulated chunk in verify, and a rebuild repairs it', async () => {
    // Changed through SQLite while the platform runs: after a stop, the changed pages would be found by their checksums.
    // It waits for a checkpoint of the platform, which locks the file.
    const catalog = new DatabaseSync(join(await currentReadModels(data), 'catalog.db'), { timeout: 5_000 });
    const [lost, changed] = catalog
      .prepare(`SELECT id FROM chunks WHERE scope = 'deployment' ORDER BY id LIMIT 2`)
      .all()
      .map(({ id }) => String(id));
    catalog.prepare('DELETE FROM chunks WHERE id = ?').run(lost ?? '');
    catalog.prepare('UPDATE chunks SET content_hash = ? WHERE id = ?').run('0'.repeat(64), changed ?? '');
    catalog.close();
    const verified = await platform.client.operations.verify();
    expect(verified.clean).toBe(false);
    expect(verified.differences).toEqual(
      expect.arrayContaining([
        { store: 'catalog', kind: 'missing', chunkId: lost, tenant: 'default', scope: 'deployment' },
        { store: 'catalog', kind: 'different', chunkId: changed, tenant: 'default', scope: 'deployment' },
      ]),
    );
    expect(verified.differences).toHaveLength(2);
    await platform.client.operations.rebuild();
    expect((await platform.client.operations.verify()).clean).toBe(true);
    expect(await everything()).toEqual(before);
  });

  it('survive the loss of the queue: no work is repeated', async () => {
    await platform.stop();
    await rm(join(data, 'bus'), { recursive: true });
    const asked = await standIn.askedDuring(async () => {
      await start();
      await submitText(platform.client, { sourceId: 'afterwards.md', text: 'Afterwards.' });
    });
    expect(asked).toEqual(['Afterwards.']);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });
});

describe('a generation on standby', () => {
  it('is rebuilt after it was removed', async () => {
    const [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    const first = await PlatformUnderTest.start(data, standIn.settings('one'));
    await submitText(first.client, { sourceId: 'a.md', text: 'A beacon by the harbour.' });
    await first.stop();
    const second = await PlatformUnderTest.start(data, standIn.settings('two'));
    await second.client.operations.reembed('deployment');
    await eventually(
      'the other model is active',
      async () => (await second.client.operations.reembedProgress('deployment')).state === 'idle' || undefined,
    );
    await second.stop();
    await rm(join(data, 'read-models', 'default', 'deployment', 'g1'), { recursive: true });
    const third = await PlatformUnderTest.start(data, standIn.settings('two'));
    expect(await third.client.operations.verify()).toMatchObject({ clean: true, partitions: [{ generation: 'g1' }, { generation: 'g2' }] });
  });
});
