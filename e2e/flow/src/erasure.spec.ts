import type { ErasureReceipt, SearchRequest } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { storedInQdrant } from '@palimpsest/e2e-support/stored-in-qdrant';
import { submitText } from '@palimpsest/e2e-support/submit';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { checkReceipt } from '@palimpsest/proofs';
import { eventually } from '@palimpsest/test-kit/eventually';
import { unnoticedChanges } from './change-something.ts';

/** On services, the words are in Qdrant, too. */
const SETTINGS = { PALIMPSEST_PURGE_MINUTES: '0.05', ...(DISTRIBUTED ? { PALIMPSEST_LEXICAL: 'qdrant' } : {}) };
const DOCUMENTS = 12;
const PATIENCE_MS = 60_000;

describe('The erasure of a scope', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let receipt: ErasureReceipt;
  let traceId: string;
  let documentId: string;
  let before: unknown;
  /** Words of at least eight letters that occur only in the scope, in texts, titles, sources, labels and file names. */
  const secrets: string[] = [];
  const random = new SeededRandom(16);
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), ...SETTINGS }));
  const secret = (): string => {
    const word = Array.from({ length: 12 }, () => random.oneOf([...'bcdfghjklmnpqrstvwxz'])).join('');
    secrets.push(word);
    return word;
  };
  const search = (over: Partial<SearchRequest> = {}) => platform.client.search({ query: 'harbour lighthouse', topK: 20, ...over });
  const publicAnswer = async () =>
    (await search({ scopes: ['deployment'] })).hits.map(({ chunkId, score, text }) => ({ chunkId, score, text }));

  /** The secrets that some file below the data folder contains, with the names of the files. */
  const residue = async () =>
    (
      await searchFolder(
        data,
        secrets.flatMap((each) => textProbes(each, each)),
      )
    ).found;

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'people', scope: 'team:people', name: secret(), description: secret() });
    for (let n = 0; n < DOCUMENTS; n++) {
      const text = `# ${secret()}\n\nThe harbour lighthouse ${secret()} belongs to ${secret()}.`;
      const submitted = await submitText(client, {
        knowledgeBase: 'people',
        sourceId: `${secret()}.md`,
        title: secret(),
        text,
        labels: { of: secret() },
      });
      if (n === 0) ({ documentId } = submitted);
      await submitText(client, { sourceId: `public-${n}.md`, text: `Public harbour lighthouse number ${n}.` });
    }
    await submitText(client, { knowledgeBase: 'people', sourceId: 'replaced.md', text: `Replaced: ${secret()}.` });
    await submitText(client, { knowledgeBase: 'people', sourceId: 'replaced.md', text: `Now: ${secret()}.` });
    ({ traceId } = await search({ scopes: ['team:people'] }));
    await eventually('the search is on the log', async () => {
      const { status } = await platform.ask(`POST /v1/retrievals/${traceId}/receipt`, { json: {} });
      return status === 200 || undefined;
    });
    before = await publicAnswer();
    // Titles and sources are in the catalog: the scan finds what is there.
    if (!DISTRIBUTED) expect((await residue()).size).toBeGreaterThan(DOCUMENTS);
  });

  if (DISTRIBUTED)
    it('shows Qdrant nothing but vectors, also before it', async () => {
      const stored = await storedInQdrant();
      expect(stored.split('team:people').length).toBeGreaterThan(2 * DOCUMENTS);
      expect(secrets.filter((each) => stored.includes(each))).toEqual([]);
    });

  afterAll(() => platform.stop());

  it('is refused without its name, for other callers, and while the scope is held', async () => {
    const erase = (key: string, json: object = { confirm: 'team:people' }) =>
      platform.ask('POST /v1/scopes/team:people/erasure', { key, json });
    const key = async (over: object) => (await platform.client.operations.createApiKey({ name: 'other', ...over })).key;
    expectProblem(await erase(platform.key, { confirm: 'team:peopl' }), 400, 'InvalidValue');
    expectProblem(await erase(await key({ teams: ['people'], roles: ['reader', 'writer'] })), 403, 'Forbidden');
    expectProblem(await erase(await key({ teams: ['red'], roles: ['admin'] })), 404, 'NotFound');
    await platform.client.erasures.hold('team:people', 'case 17');
    expect(await platform.client.erasures.get('team:people')).toMatchObject({ state: 'none', held: { reason: 'case 17' } });
    expectProblem(await erase(platform.key), 409, 'Conflict');
    expect(await platform.client.erasures.release('team:people')).toMatchObject({ state: 'none' });
    expect((await platform.client.erasures.get('team:people')).held).toBeUndefined();
  });

  it('makes the scope unreadable at once, and completes automatically after a kill', async () => {
    const erased = await platform.client.erasures.start('team:people', 'team:people');
    expect(['erased', 'completed']).toContain(erased.state);
    await platform.kill();
    await start();
    const done = await eventually(
      'it is complete',
      async () => {
        const found = await platform.client.erasures.get('team:people');
        return found.state === 'completed' ? found : undefined;
      },
      PATIENCE_MS,
    );
    expect(await platform.client.erasures.start('team:people', 'team:people')).toEqual(done);
    receipt = await platform.client.erasures.receipt('team:people');
    expect(receipt.residueScan).toMatchObject({ found: 0 });
  });

  it('leaves nothing to find, to read, to export or to add', async () => {
    const { client } = platform;
    expect((await search({ scopes: ['team:people'] })).hits).toEqual([]);
    expect((await search()).hits.every(({ scope }) => scope === 'deployment')).toBe(true);
    expect((await client.documents.list({ limit: 200 })).documents.filter(({ scope }) => scope !== 'deployment')).toEqual([]);
    expect((await client.knowledgeBases.list()).map(({ id }) => id)).not.toContain('people');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}`), 404, 'NotFound');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/versions/1`), 410, 'ScopeKeyDestroyed');
    expectProblem(await platform.ask('GET /v1/exports/team:people'), 404, 'NotFound');
    const submitted = await platform.ask('POST /v1/documents', { json: { text: 'late', sourceId: 'late.md', knowledgeBase: 'people' } });
    expect([404, 410]).toContain(submitted.status);
    const replayed = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: { query: 'harbour lighthouse' } });
    expectProblem(replayed, 410, 'ScopeKeyDestroyed');
    expect(replayed.json['detail']).toMatch(/^scope "team:people" was erased at position \d+$/);
    const events = JSON.stringify((await client.events.list({ limit: 200 })).events);
    for (const each of secrets) expect(events).not.toContain(each);
  });

  it('does not change a bit of what other scopes answer', async () => {
    expect(await publicAnswer()).toEqual(before);
    await platform.client.operations.rebuild();
    expect(await publicAnswer()).toEqual(before);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, differenceCount: 0 });
    expect(await platform.client.operations.verifyLog()).toMatchObject({ intact: true });
  });

  if (!DISTRIBUTED)
    it('says in its receipt that nothing was found in the files, if the process was not restarted in between', async () => {
      const { client } = platform;
      await client.knowledgeBases.create({ id: 'short', scope: 'team:short' });
      await submitText(client, { knowledgeBase: 'short', sourceId: `${secret()} 1.md`, title: `A ${secret()}`, text: `One ${secret()}.` });
      await client.erasures.start('team:short', 'team:short');
      const receipt = () => client.erasures.receipt('team:short').catch(() => undefined);
      const { residueScan } = await eventually('it is complete', receipt, PATIENCE_MS);
      expect(residueScan).toMatchObject({ secrets: 3, found: 0, detail: 'all files below the data folder, without models' });
      expect(residueScan?.files).toBeGreaterThan(5);
    });

  it('can erase a scope that every tenant has, and starts again afterwards', async () => {
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'ours', scope: 'platform' });
    await submitText(client, { knowledgeBase: 'ours', sourceId: 'ours.md', text: 'The harbour lighthouse of the installation.' });
    await client.erasures.start('platform', 'platform');
    await platform.kill();
    await start();
    const state = async () => (await platform.client.erasures.get('platform')).state === 'completed' || undefined;
    await eventually('it is complete', state, PATIENCE_MS);
    expect(await publicAnswer()).toEqual(before);
  });

  if (!DISTRIBUTED)
    it('leaves no byte of it in the data folder, also after a restart', async () => {
      const none = () => eventually('the files are written again', async () => (await residue()).size === 0 || undefined, PATIENCE_MS);
      await none();
      await platform.stop();
      await start();
      await none();
    });

  it('has a receipt that says what was erased, is valid without a server, and shows each of 1,000 changes', () => {
    expect(checkReceipt(receipt)).toEqual({ receipt });
    expect(receipt).toMatchObject({ scope: 'team:people', unreadable: { documents: DOCUMENTS + 1 } });
    expect(JSON.stringify(receipt)).not.toMatch(new RegExp(secrets.join('|')));
    expect(unnoticedChanges(receipt, (changed) => !('problems' in checkReceipt(changed)), random)).toEqual([]);
  });
});
