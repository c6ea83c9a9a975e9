import type { GoldenQueryLine } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const FAQ = { scope: 'team:red', set: 'faq' };
const PATH = '/v1/scopes/team:red/golden-sets/faq';
const CARRY = { id: 'carry', text: 'how many days may be carried over?', judgements: [{ source: 'holidays.md', grade: 2 }] };
const TRAINS = { id: 'trains', text: 'who books the trains?', synthetic: true, judgements: [{ source: 'travel.md', grade: 1 }] };
const QUERIES = 3_000;

describe('golden queries', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  const put = (body: string, headers: Readonly<Record<string, string>> = {}, path = PATH) =>
    platform.ask(`PUT ${path}`, { body, headers: { 'content-type': 'application/x-ndjson', ...headers } });

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    await platform.client.knowledgeBases.create({ id: 'handbook', scope: 'team:red' });
    await submitText(platform.client, { knowledgeBase: 'handbook', sourceId: 'holidays.md', text: 'Five days may be carried over.' });
  });

  it('are imported in versions, and the same content changes nothing', async () => {
    const { golden } = platform.client;
    expect(await golden.import(FAQ, [CARRY], { expectedVersion: 0 })).toMatchObject({ version: 1, missing: 0, changed: true });
    expect(await golden.import(FAQ, [TRAINS, CARRY])).toMatchObject({ version: 2, queries: 2, synthetic: 1, missing: 1, changed: true });
    expect(await golden.import(FAQ, [CARRY, TRAINS])).toMatchObject({ version: 2, changed: false });
    await expect(golden.import(FAQ, [CARRY], { expectedVersion: 1 })).rejects.toMatchObject({ status: 409, code: 'Conflict' });
    await expect(golden.remove(FAQ, { expectedVersion: 1 })).rejects.toMatchObject({ status: 409, code: 'Conflict' });
  });

  it('say which documents do not exist, also after a deletion', async () => {
    const { golden, documents } = platform.client;
    const { items } = await golden.get(FAQ);
    expect(items).toMatchObject([
      { id: 'carry', synthetic: false, judgements: [{ source: 'holidays.md', missing: false }] },
      { id: 'trains', synthetic: true, judgements: [{ source: 'travel.md', missing: true }] },
    ]);
    await documents.remove(items[0]?.judgements[0]?.documentId ?? '');
    // The deletion may be processed by another service than the list.
    await eventually('both documents are missing', async () => ((await golden.list('team:red'))[0]?.missing === 2 ? true : undefined));
    expect((await golden.get(FAQ)).items[0]?.judgements).toMatchObject([{ source: 'holidays.md', grade: 2, missing: true }]);
  });

  it('of a large set are complete after a kill, page by page and as an export', async () => {
    const { golden } = platform.client;
    const text = (i: number): string => `question ${i} ${'about the handbook '.repeat(20)}`;
    const lines = Array.from({ length: QUERIES }, (_, i) => ({
      id: `q${i}`,
      text: text(i),
      judgements: [{ source: `${i}.md`, grade: 1 }],
    }));
    const large = { ...FAQ, set: 'large' };
    expect(await golden.import(large, lines)).toMatchObject({ version: 1, queries: QUERIES, missing: QUERIES });
    await platform.kill();
    await start();
    const sets = await platform.client.golden.list('team:red');
    expect(sets.map(({ set, version }) => [set, version])).toEqual([
      ['faq', 2],
      ['large', 1],
    ]);
    const exported: GoldenQueryLine[] = [];
    for await (const line of platform.client.golden.export(large)) exported.push(line);
    expect(new Map(exported.map(({ id, text: each }) => [id, each]))).toEqual(new Map(lines.map(({ id, text: each }) => [id, each])));
    const ids: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await platform.client.golden.get(large, { limit: 500, ...(cursor === '' ? {} : { cursor }) });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(ids).toEqual(exported.map(({ id }) => id));
    expect(await platform.client.golden.import(large, exported)).toMatchObject({ version: 1, changed: false });
  });

  it('are refused with the line and the field, and nothing of them is imported', async () => {
    const line = (change: object = {}) => `${JSON.stringify({ ...CARRY, ...change })}\n`;
    const refusals: readonly (readonly [body: string, field: string])[] = [
      [line() + line({ id: 'b', text: '' }), 'line 2.text'],
      [line() + line(), 'line 2.id'],
      [line({ judgements: [{ source: 'a', grade: 'high' }] }), 'line 1.judgements[0].grade'],
      [line({ judgements: [{ source: 'a', grade: 1, knowledgeBase: 'nothing' }] }), 'line 1.judgements[0].knowledgeBase'],
      ['{', 'line 1.body'],
      ['', 'body'],
    ];
    for (const [body, field] of refusals) expectProblem(await put(body), 400, 'InvalidValue', { field });
    expectProblem(await put(line(), { 'if-match': '"x"' }), 400, 'InvalidValue', { field: 'If-Match' });
    expectProblem(await put(line(), {}, '/v1/scopes/team:red/golden-sets/No%20Name'), 400, 'InvalidValue', { field: 'set' });
    expect((await platform.client.golden.list('team:red'))[0]).toMatchObject({ set: 'faq', version: 2 });
  });

  it('are for readers of the scope; only administrators change them', async () => {
    const as = async (roles: readonly string[], teams: readonly string[], tenant = 'default') =>
      platform.as((await platform.client.operations.createApiKey({ name: 'test', roles, teams: [...teams], tenant })).key);
    const reader = await as(['reader'], ['red']);
    expect((await reader.golden.get(FAQ)).items).toHaveLength(2);
    await expect(reader.golden.import(FAQ, [CARRY])).rejects.toMatchObject({ status: 403 });
    for (const stranger of [await as(['admin'], ['blue']), await as(['admin'], ['*'], 'other')]) {
      await expect(stranger.golden.list('team:red')).rejects.toMatchObject({ status: 404 });
      await expect(stranger.golden.import(FAQ, [CARRY])).rejects.toMatchObject({ status: 404 });
      await expect(stranger.golden.remove(FAQ)).rejects.toMatchObject({ status: 404 });
    }
  });

  it('are removed, are in the audit trail, and are on the log only sealed', async () => {
    const { client } = platform;
    await client.golden.remove({ ...FAQ, set: 'large' }, { expectedVersion: 1 });
    expect((await client.golden.list('team:red')).map(({ set }) => set)).toEqual(['faq']);
    const operations = (await client.operations.audit({ limit: 100 })).entries.map(({ operation }) => operation);
    expect(operations).toContain('/v1/scopes/:scope/golden-sets/:set');
    const shown = (await client.events.list({ scope: 'team:red', types: ['GoldenQueriesStored'], limit: 1, direction: 'forwards' }))
      .events[0];
    expect(shown).toMatchObject({ category: 'golden_set', content: 'open', data: { queries: [{ text: CARRY.text }] } });
    expect((await platform.stop()).code).toBe(0);
    const stored = (await recordedEvents(data)).filter(({ type }) => type.startsWith('Golden'));
    const counts = new Set(stored.map(({ type }) => type));
    expect([...counts].sort()).toEqual(['GoldenQueriesStored', 'GoldenSetImported', 'GoldenSetRemoved']);
    expect(stored.filter(({ type }) => type === 'GoldenQueriesStored').length).toBeGreaterThanOrEqual(7);
    const log = JSON.stringify(stored);
    for (const secret of ['carried over', 'holidays.md', 'about the handbook']) expect(log).not.toContain(secret);
  });
});
