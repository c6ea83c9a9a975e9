import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const DOCUMENTS = 40;
/** Every fifth document is deleted. */
const isDeleted = (n: number): boolean => n % 5 === 0;
const DELETED = Array.from({ length: DOCUMENTS }, (_, n) => n).filter(isDeleted);
/** These words occur only in the text and in the title. */
const word = (n: number): string => `zanzibar${n}quux`;
const titleWord = (n: number): string => `Kilimanjaro${n}Quux`;

/** A folder may disappear before it is read, because a rebuild replaces it. */
const filesUnder = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const nested = await Promise.all(
    entries.map(async (entry) => (entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)])),
  );
  return nested.flat();
};

describe('an attacker who reads every byte of the data folder', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const settings = () => ({ ...standIn.settings(), PALIMPSEST_PURGE_MINUTES: '0.02' });
  const add = (n: number, more = '') =>
    submitText(platform.client, {
      sourceId: `${n}.md`,
      title: `About ${titleWord(n)}`,
      labels: { about: `label${titleWord(n)}` },
      text: `# Number\n\nThe word is ${word(n)}. ${more}`,
    });

  /** Files that contain one of these words in UTF-8 or UTF-16. */
  const mentions = async (folder: string, words: readonly string[]): Promise<readonly string[]> => {
    const spellings = words
      .flatMap((one) => [...new Set([one, one.toLowerCase()])])
      .flatMap((one) => [Buffer.from(one), Buffer.from(one, 'utf16le')]);
    const found: string[] = [];
    for (const path of await filesUnder(join(platform.data, folder))) {
      // A file may be replaced during the read; the new one is read by the next call.
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      for (const spelling of spellings)
        if (bytes.includes(spelling)) found.push(`${path.slice(platform.data.length)} ${spelling.toString().replaceAll('\0', '')}`);
    }
    return found;
  };
  /** The total size of the vector files, which shrinks when vectors are purged: every document has its own vector. */
  const vectors = async (): Promise<number> => {
    const files = (await filesUnder(join(platform.data, 'read-models'))).filter((path) => path.endsWith('vectors.dat'));
    const sizes = await Promise.all(files.map(async (path) => (await readFile(path)).length));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  const gone = () => [...DELETED.map(word), ...DELETED.map(titleWord)];
  const purged = (what: string) => eventually(what, async () => ((await mentions('read-models', gone())).length === 0 ? true : undefined));

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), settings());
    for (let n = 0; n < DOCUMENTS; n++) await add(n);
  });
  afterAll(() => platform.stop());

  it('finds titles and labels of existing documents in the catalog, so the check works, and nothing in the files of the indexes', async () => {
    expect((await mentions('read-models', DELETED.map(titleWord))).length).toBeGreaterThan(0);
    const all = Array.from({ length: DOCUMENTS }, (_, n) => [word(n), titleWord(n)]).flat();
    expect((await mentions('read-models', all)).filter((found) => !/^.read-models.catalog\.db/.test(found))).toEqual([]);
    expect(await mentions('read-models', DELETED.map(word))).toEqual([]);
  });

  it('finds no word, title or vector of a deleted document in the read models after a bounded time', async () => {
    const before = await vectors();
    for (const { documentId, sourceId } of (await platform.client.documents.list({ limit: 100 })).documents)
      if (isDeleted(Number.parseInt(sourceId, 10))) await platform.client.documents.remove(documentId);
    await purged('the words have left the read models');
    await eventually('the vectors have left the read models', async () => ((await vectors()) < before ? true : undefined));
    expect((await platform.client.search({ query: word(1), strategy: 'SparseOnly' })).hits).toHaveLength(1);
    expect((await platform.client.operations.verify()).clean).toBe(true);
  });

  it('finds no text or title of a deleted document anywhere in the data folder: log, uploads and queues contain no plain text', async () => {
    expect(await mentions('', gone())).toEqual([]);
  });

  it('finds nothing during and after a rebuild', async () => {
    const seen = new Set<string>();
    const rebuilding = platform.client.operations.rebuild();
    for (let done = false; !done;) {
      done = await Promise.race([rebuilding.then(() => true), new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5))]);
      for (const found of await mentions('read-models', gone())) seen.add(found);
    }
    expect([...seen]).toEqual([]);
    expect((await platform.client.search({ query: word(1), strategy: 'SparseOnly' })).hits).toHaveLength(1);
  });

  it('finds nothing after a restart; text deleted just before a kill is purged after the next start', async () => {
    await platform.stop();
    expect(await mentions('read-models', gone())).toEqual([]);
    platform = await PlatformUnderTest.start(platform.data, { ...settings(), PALIMPSEST_PURGE_MINUTES: '60' });
    const { documentId } = await add(1_000);
    await platform.client.documents.remove(documentId);
    await eventually('the document is no longer listed', async () =>
      (await platform.client.documents.list({ source: '1000.md' })).documents.length === 0 ? true : undefined,
    );
    expect((await mentions('read-models', [titleWord(1_000)])).length).toBeGreaterThan(0);
    await platform.kill();
    platform = await PlatformUnderTest.start(platform.data, settings());
    await eventually('it is purged after the start', async () =>
      (await mentions('read-models', [word(1_000), titleWord(1_000), ...gone()])).length === 0 ? true : undefined,
    );
  });

  it('finds nothing a bounded time after a deletion during a stream of uploads', async () => {
    let stop = false;
    const stream = (async () => {
      for (let n = 2_001; !stop; n++) await add(n % 2 === 0 ? n : 2_001, `Filler ${n} `.repeat(50));
    })();
    const { documentId } = await add(3_000);
    await platform.client.documents.remove(documentId);
    await eventually('it is purged during the uploads', async () =>
      (await mentions('read-models', [word(3_000), titleWord(3_000)])).length === 0 ? true : undefined,
    );
    stop = true;
    await stream;
  });
});
