import type { TimelineEntry } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const FIRST = '# Holidays\n\nThere are 30 days of holiday a year.\n\n## Carrying over\n\nUp to 5 days may be carried over to March.\n';
const SECOND = FIRST.replace('5 days', '10 days');

const lineOf = (entry: TimelineEntry): string => {
  if (entry.kind === 'model')
    return `model ${entry.change} ${entry.embeddingVersion}, ${entry.serving?.embeddingVersion ?? 'nothing'} serves`;
  if (entry.kind === 'knowledge-base') return `${entry.knowledgeBase} ${entry.change}`;
  if (entry.kind === 'unreadable') return entry.reason;
  return `${entry.kind} ${entry.title} (${entry.source}) version ${entry.version}`;
};

const STAND_IN = 'openai:stand-in/64';
const BUILT_IN = 'onnx:all-minilm-l6-v2-int8/384';

describe('looking back in time', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  const red = { knowledgeBase: 'rules', sourceId: 'holidays.md', title: 'Holidays' };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'rules', scope: 'team:red' });
    ({ documentId } = await submitText(platform.client, { ...red, text: FIRST }));
    await submitText(platform.client, { ...red, text: SECOND });
    await submitText(platform.client, { sourceId: 'public.md', text: 'Readable by everyone.' });
  });

  it('lists what happened in a scope, newest first, page by page', async () => {
    const entries: TimelineEntry[] = [];
    for await (const entry of platform.client.timeline.listAll('team:red', { limit: 2 })) entries.push(entry);
    expect(entries.map(lineOf)).toEqual([
      'changed Holidays (holidays.md) version 2',
      'arrived Holidays (holidays.md) version 1',
      `model activated ${STAND_IN}, ${STAND_IN} serves`,
      `model started ${STAND_IN}, nothing serves`,
      'rules created',
    ]);
    expect(entries[0]).toMatchObject({ documentId, knowledgeBase: 'rules', chunks: { added: 1, removed: 1, kept: 0 } });
  });

  it('limits it by position, time and knowledge base', async () => {
    const { client } = platform;
    const { entries, from, to } = await client.timeline.list('team:red');
    const [changed, arrived] = entries;
    expect(BigInt(to.position)).toBeGreaterThan(BigInt(changed?.position ?? 0));
    expect(BigInt(from?.position ?? 0)).toBeLessThan(BigInt(arrived?.position ?? 0));
    expect((await client.timeline.list('team:red', { after: arrived?.position })).entries).toEqual([changed]);
    expect((await client.timeline.list('team:red', { before: changed?.position, limit: 1 })).entries).toEqual([arrived]);
    expect((await client.timeline.list('team:red', { after: to.at })).entries).toEqual([]);
    expect((await client.timeline.list('team:red', { knowledgeBase: 'rules' })).entries).toEqual(entries);
    expectProblem(await platform.ask('GET /v1/scopes/team:red/timeline?knowledgeBase=default'), 404, 'NotFound');
  });

  it('shows a swap of the model, and no document as changed by it', async () => {
    const { client } = platform;
    const before = (await client.timeline.list('team:red')).entries;
    await client.swaps.start('team:red', { embeddingVersion: BUILT_IN, chunking: { markdown: { maxChars: 200 } } });
    await eventually('the scope has the other model', async () => {
      const { state, generations } = await client.swaps.get('team:red');
      return (state === 'idle' && generations.length === 2) || undefined;
    });
    const [activated, started, ...rest] = (await client.timeline.list('team:red')).entries;
    expect(activated).toMatchObject({ kind: 'model', change: 'activated', generation: 'g2', serving: { embeddingVersion: BUILT_IN } });
    expect(started).toMatchObject({
      kind: 'model',
      change: 'started',
      embeddingVersion: BUILT_IN,
      serving: { embeddingVersion: STAND_IN },
    });
    expect(rest).toEqual(before);
  });

  it('returns the texts of a replaced version, and the difference of two', async () => {
    const { client } = platform;
    const first = await client.documents.version(documentId, 1);
    expect(first).toMatchObject({ status: 'indexed', title: 'Holidays', knowledgeBase: 'rules', deleted: false, total: 1 });
    expect(first.chunks.map(({ text }) => text).join('\n')).toContain('Up to 5 days');
    const diff = await client.documents.diff(documentId);
    expect(diff).toMatchObject({ from: { version: 1 }, to: { version: 2 }, counts: { added: 1, removed: 1, kept: 0 }, truncated: false });
    expect(diff.unified).toContain('\n-Up to 5 days may be carried over to March.\n+Up to 10 days may be carried over to March.\n');
    for (const path of ['versions/9', 'diff?from=1&to=9'])
      expect(expectProblem(await platform.ask(`GET /v1/documents/${documentId}/${path}`), 404, 'NotFound').detail).toContain('version "9"');
    expectProblem(await platform.ask(`GET /v1/documents/${documentId}/diff?from=2`), 409, 'Conflict');
  });

  it('refuses callers who may not read the scope, as for one that does not exist', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['admin'] });
    for (const path of ['versions/1', 'diff'])
      expectProblem(await platform.ask(`GET /v1/documents/${documentId}/${path}`, { key }), 404, 'NotFound');
    expectProblem(await platform.ask('GET /v1/scopes/team:red/timeline', { key }), 404, 'NotFound');
    const visible = (await platform.as(key).timeline.list('deployment')).entries;
    expect(visible.filter(({ kind }) => kind === 'arrived')).toHaveLength(1);
  });

  it('keeps the versions of a document that was deleted, and says so', async () => {
    const { client } = platform;
    const { position } = await client.documents.remove(documentId);
    expect(await client.documents.version(documentId, 1)).toMatchObject({ deleted: true, deletion: { position }, total: 1 });
    expect(await client.documents.diff(documentId)).toMatchObject({ deleted: true, deletion: { position } });
    const [latest] = (await client.timeline.list('team:red', { limit: 1 })).entries;
    expect(latest).toMatchObject({ kind: 'left', position, title: 'Holidays', version: 2 });
  });
});
