import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryStatus } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const FIRST =
  '# Holidays\n\nThere are 30 days of holiday a year.\n\n# Carrying over\n\nUp to 5 days may be carried over to March, said the zebrafish.\n';
const SECOND = FIRST.replace('zebrafish', 'antelope');
const SCOPE = 'team:red';
const rules = { knowledgeBase: 'rules', sourceId: 'holidays.md' };

describe('removing old history', () => {
  let platform: PlatformUnderTest;
  let [documentId, gone] = ['', ''];
  let [first, second] = ['', ''];

  const search = (query: string, asOf?: string) =>
    platform.client.search({ query, scopes: [SCOPE], strategy: 'SparseOnly', ...(asOf === undefined ? {} : { asOf }) });
  const textsOf = async (query: string, asOf?: string): Promise<readonly string[]> =>
    (await search(query, asOf)).hits.map(({ text }) => text);
  const complete = async (started: HistoryStatus): Promise<HistoryStatus> => {
    let found = started;
    while (found.running) {
      await sleep(100);
      found = await platform.client.erasures.history(SCOPE);
    }
    return found;
  };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder());
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'rules', scope: SCOPE });
    await client.knowledgeBases.create({ id: 'others', scope: 'team:blue' });
    ({ documentId } = await submitText(client, { ...rules, text: FIRST }));
    ({ documentId: gone } = await submitText(client, { ...rules, sourceId: 'gone.md', text: 'The walrus was here.' }));
    await submitText(client, { knowledgeBase: 'others', sourceId: 'other.md', text: 'The first otter.' });
    first = (await search('holiday')).position;
    await submitText(client, { ...rules, text: SECOND });
    await submitText(client, { knowledgeBase: 'others', sourceId: 'other.md', text: 'The second otter.' });
    await client.documents.remove(gone);
    second = (await search('holiday')).position;
  });

  it('is refused for others, for a held scope, and with a wrong number of days', async () => {
    const ask = (json: object, key?: string) => platform.ask('POST /v1/scopes/team:red/history-removal', { json, ...(key ? { key } : {}) });
    const keyOf = async (role: string, team: string): Promise<string> =>
      String((await platform.ask('POST /v1/api-keys', { json: { name: `${role} of ${team}`, roles: [role], teams: [team] } })).json['key']);
    const [writer, blue] = [await keyOf('writer', 'red'), await keyOf('admin', 'blue')];
    expectProblem(await ask({ keepDays: 0 }, writer), 403, 'Forbidden');
    expectProblem(await ask({ keepDays: 0 }, blue), 404, 'NotFound');
    expectProblem(await ask({ keepDays: -1 }), 400, 'InvalidValue');
    expectProblem(await ask({ keepDays: 0, knowledgeBase: 'others' }), 404, 'NotFound');
    expectProblem(await platform.ask('PATCH /v1/knowledge-bases/rules', { json: { historyDays: 1 }, key: writer }), 403, 'Forbidden');
    await platform.client.erasures.hold(SCOPE, 'case 17');
    expectProblem(await ask({ keepDays: 0 }), 409, 'Conflict');
    await platform.client.erasures.release(SCOPE);
  });

  it('removes nothing that is younger', async () => {
    const found = await complete(await platform.client.erasures.removeHistory(SCOPE, 30));
    expect(found.earliest).toBe('0');
    expect((await textsOf('zebrafish', first)).length).toBe(1);
  });

  it('removes replaced versions and deleted documents, and keeps what searches find', async () => {
    const before = [await search('holiday'), await search('antelope')].map(({ hits }) => hits);
    const found = await complete(await platform.client.erasures.removeHistory(SCOPE, 0));
    expect(found).toMatchObject({ last: { documents: 2, left: 0, uploads: 2 } });
    expect(BigInt(found.earliest)).toBeGreaterThanOrEqual(BigInt(second));
    expect([await search('holiday'), await search('antelope')].map(({ hits }) => hits)).toEqual(before);
    expect(await platform.client.erasures.history(SCOPE)).toEqual(found);
  });

  it('responds with 410 and the earliest position to earlier moments of the scope, and not of others', async () => {
    const { earliest } = await platform.client.erasures.history(SCOPE);
    const json = { query: 'holiday', scopes: [SCOPE], asOf: first };
    const refused = await platform.ask('POST /v1/search', { json });
    expectProblem(refused, 410, 'HistoryRemoved');
    expect(refused.json).toMatchObject({ earliest });
    expectProblem(await platform.ask(`GET /v1/documents?knowledgeBase=rules&asOf=${first}`), 410, 'HistoryRemoved');
    expectProblem(await platform.ask(`GET /v1/knowledge-bases?asOf=${first}`), 410, 'HistoryRemoved');
    const others = await platform.client.search({ query: 'otter', scopes: ['team:blue'], strategy: 'SparseOnly', asOf: first });
    expect(others.hits.map(({ text }) => text)).toEqual(['The first otter.']);
    expect(await textsOf('antelope', earliest)).toHaveLength(1);
  });

  it('leaves the versions that stay, and says that earlier ones were removed', async () => {
    const { client } = platform;
    const shown = await platform.ask(`GET /v1/documents/${documentId}/versions/2`);
    expect(shown.json).toMatchObject({ status: 'indexed' });
    expect(JSON.stringify(shown.json)).toContain('30 days');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/versions/1`), 410, 'HistoryRemoved');
    expect((await client.documents.get(documentId)).versions.map(({ version }) => version)).toEqual([2]);
    const kinds: string[] = [];
    for await (const entry of client.timeline.listAll(SCOPE)) kinds.push('reason' in entry ? entry.reason : entry.kind);
    expect(kinds.filter((kind) => kind === 'changed' || kind === 'history-removed')).toEqual(['history-removed', 'changed']);
    // A server keeps what was cut off until its scavenge.
    if (!DISTRIBUTED) expect(kinds).not.toContain('arrived');
  });

  it('is accounted for by the check of the signed log', async () => {
    const check = await platform.client.operations.verifyLog();
    expect(check).toMatchObject({ intact: true });
  });

  it('is still so after a restart and a rebuild, and the document can change and come back', async () => {
    const before = (await search('antelope')).hits;
    await platform.stop();
    platform = await PlatformUnderTest.start(platform.data);
    await platform.client.operations.rebuild();
    expect((await search('antelope')).hits).toEqual(before);
    expect((await platform.client.operations.verify()).differences).toEqual([]);
    await submitText(platform.client, { ...rules, text: FIRST });
    await submitText(platform.client, { ...rules, sourceId: 'gone.md', text: 'The walrus was here.' });
    expect(await textsOf('zebrafish')).toHaveLength(1);
    expect(await textsOf('walrus')).toEqual(['The walrus was here.']);
  });
});
