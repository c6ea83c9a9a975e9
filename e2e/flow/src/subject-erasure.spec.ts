import type { ErasureReceipt, SearchRequest } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { checkReceipt } from '@palimpsest/proofs';
import { eventually } from '@palimpsest/test-kit/eventually';
import { unnoticedChanges } from './change-something.ts';

const SETTINGS = { PALIMPSEST_PURGE_MINUTES: '0.05' };
const DOCUMENTS = 8;
const PATIENCE_MS = 60_000;
const ANN = 'ann@harbour-lighthouse.example';
const BOB = 'bob@harbour-lighthouse.example';

describe('The erasure of a person', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let receipt: ErasureReceipt;
  let erasure: string;
  let traceId: string;
  let documentId: string;
  /** Words of at least eight letters that occur only in documents about Ann, in texts, titles, sources and labels. */
  const secrets: string[] = [ANN];
  const random = new SeededRandom(23);
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), ...SETTINGS }));
  const word = (): string => Array.from({ length: 12 }, () => random.oneOf([...'bcdfghjklmnpqrstvwxz'])).join('');
  const secret = (): string => secrets[secrets.push(word()) - 1] ?? '';
  const search = (over: Partial<SearchRequest> = {}) => platform.client.search({ query: 'harbour lighthouse', topK: 50, ...over });
  const sources = async () => new Set((await search()).hits.map(({ source }) => source));
  const residue = async () => [
    ...(
      await searchFolder(
        data,
        secrets.flatMap((each) => textProbes(each, each)),
      )
    ).found.keys(),
  ];
  const about = (subject: string, knowledgeBase: string, own = secret) =>
    submitText(platform.client, {
      ...{ knowledgeBase, subject, sourceId: `${own()}.md`, title: own(), labels: { of: own() } },
      text: `# ${own()}\n\nThe harbour lighthouse ${own()} belongs to ${own()}.`,
    });

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'people', scope: 'team:people' });
    for (let n = 0; n < DOCUMENTS; n++) {
      const submitted = await about(ANN, n % 2 === 0 ? 'people' : 'default');
      if (n === 0) ({ documentId } = submitted);
    }
    await client.documents.replaceText(documentId, { text: `Replaced: the harbour lighthouse and ${secret()}.`, knowledgeBase: 'people' });
    await client.waitForAll({ pollMs: 50 });
    const { documentId: deleted } = await about(ANN, 'people');
    await client.documents.remove(deleted);
    for (let n = 0; n < 3; n++) await about(BOB, 'people', word);
    await submitText(client, { sourceId: 'public.md', text: 'Public harbour lighthouse.' });
    ({ traceId } = await search());
    await eventually('the search is on the log', async () => {
      const { status } = await platform.ask(`POST /v1/retrievals/${traceId}/receipt`, { json: {} });
      return status === 200 || undefined;
    });
    // Titles and sources are in the catalog: the scan finds what is there.
    if (!DISTRIBUTED) expect((await residue()).length).toBeGreaterThan(DOCUMENTS);
  });

  afterAll(() => platform.stop());

  it('keeps a document about its person: a replacement needs no name, and refuses another one', async () => {
    const replace = (json: object) =>
      platform.ask(`PUT /v1/documents/${documentId}`, { json: { text: 'x', knowledgeBase: 'people', ...json } });
    const { status, json } = await replace({ subject: BOB });
    expect([status, json['field']]).toEqual([400, 'subject']);
    const { events } = await platform.client.events.list({ document: documentId, types: ['DocumentSubmitted'], limit: 10 });
    expect(events.map(({ data: found }) => (found as { subject?: string } | undefined)?.subject)).toEqual([ANN, ANN]);
  });

  it('is refused without the name again, for unknown persons, other callers and tenants, and while a scope is held', async () => {
    const erase = (json: object, key = platform.key) => platform.ask('POST /v1/subjects/erasure', { key, json });
    const key = async (over: object) => (await platform.client.operations.createApiKey({ name: 'other', ...over })).key;
    expectProblem(await erase({ subject: ANN, confirm: BOB }), 400, 'InvalidValue');
    expectProblem(await erase({ subject: 'eve', confirm: 'eve' }), 404, 'NotFound');
    expectProblem(
      await erase({ subject: ANN, confirm: ANN }, await key({ teams: ['people'], roles: ['reader', 'writer'] })),
      403,
      'Forbidden',
    );
    expectProblem(await erase({ subject: ANN, confirm: ANN }, await key({ teams: ['people'], roles: ['admin'] })), 403, 'Forbidden');
    const other = await key({ tenant: 'other', teams: ['*'], roles: ['admin'] });
    expectProblem(await erase({ subject: ANN, confirm: ANN }, other), 404, 'NotFound');
    const found = await platform.ask('POST /v1/subjects/find', { key: other, json: { subject: ANN } });
    expect(found.json).toEqual({ documents: 0, passages: 0, scopes: 0 });
    await platform.client.erasures.hold('team:people', 'case 17');
    expectProblem(await erase({ subject: ANN, confirm: ANN }), 409, 'Conflict');
    await platform.client.erasures.release('team:people');
    expect(await platform.client.erasures.findPerson(ANN)).toMatchObject({ documents: DOCUMENTS + 1, scopes: 2 });
  });

  it('makes everything about the person unreadable at once, and completes automatically after a kill', async () => {
    const { client } = platform;
    const before = await sources();
    const begun = await client.erasures.startOfPerson(ANN);
    erasure = begun.subject;
    expect(begun).toMatchObject({ documents: DOCUMENTS + 1 });
    expect(before.size - (await sources()).size).toBe(DOCUMENTS);
    await platform.kill();
    await start();
    await eventually(
      'it is complete',
      async () => ((await platform.client.erasures.getOfPerson(erasure)).state === 'completed' ? true : undefined),
      PATIENCE_MS,
    );
    receipt = await platform.client.erasures.receiptOfPerson(erasure);
    expectProblem(await platform.ask('POST /v1/subjects/erasure', { json: { subject: ANN, confirm: ANN } }), 404, 'NotFound');
  });

  it('leaves nothing about the person to find, to read or to export, and everything else', async () => {
    const { client } = platform;
    expect((await sources()).size).toBe(4);
    expect((await client.documents.list({ limit: 200 })).documents).toHaveLength(4);
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}`), 404, 'NotFound');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/versions/1`), 410, 'ScopeKeyDestroyed');
    const exported = await platform.ask('GET /v1/exports/team:people?portable=true');
    expect(exported.text).toContain(BOB);
    const events = JSON.stringify((await client.events.list({ limit: 200 })).events);
    for (const each of secrets) {
      expect(events).not.toContain(each);
      expect(exported.text).not.toContain(each);
    }
    expect(events).toContain(BOB);
  });

  it('names the erasure where a search of before cannot be repeated', async () => {
    const replayed = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: { query: 'harbour lighthouse' } });
    expect(replayed.json).toMatchObject({
      identical: false,
      differences: expect.arrayContaining([expect.objectContaining({ reason: 'erased' })]),
    });
  });

  it('rebuilds, verifies and takes new documents about the person, which have another key', async () => {
    const { client } = platform;
    await client.operations.rebuild();
    expect((await sources()).size).toBe(4);
    expect(await client.operations.verify()).toMatchObject({ clean: true, differenceCount: 0 });
    expect(await client.operations.verifyLog()).toMatchObject({ intact: true });
    await submitText(client, { subject: BOB, sourceId: 'later.md', text: 'The harbour lighthouse again.' });
    expect(await client.erasures.findPerson(BOB)).toMatchObject({ documents: 4 });
    expect(await client.erasures.findPerson(ANN)).toEqual({ documents: 0, passages: 0, scopes: 0 });
  });

  if (!DISTRIBUTED)
    it('leaves no byte of it in the data folder, also after a restart', async () => {
      const none = () => eventually('the files are written again', async () => (await residue()).length === 0 || undefined, PATIENCE_MS);
      await none();
      await platform.stop();
      await start();
      await none();
    });

  it('has a receipt that does not name the person, is valid without a server, and shows each of 1,000 changes', () => {
    expect(checkReceipt(receipt)).toEqual({ receipt });
    expect(receipt).toMatchObject({ subject: erasure, scopes: ['deployment', 'team:people'], unreadable: { documents: DOCUMENTS + 1 } });
    for (const each of secrets) expect(JSON.stringify(receipt)).not.toContain(each);
    expect(unnoticedChanges(receipt, (changed) => !('problems' in checkReceipt(changed)), random)).toEqual([]);
  });
});
