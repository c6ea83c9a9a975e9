import type { DocumentView } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted, submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const WAITING = 12;
const text = (i: number): string => `Held number ${i} of the slow base.`;

describe('a paused knowledge base', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const settings = () => ({
    ...standIn.settings(),
    PALIMPSEST_INGESTION_ATTEMPTS: '1',
    PALIMPSEST_INGESTION_CONCURRENCY: '1',
    PALIMPSEST_QUEUE_CAPACITY: String(WAITING + 2),
  });
  const of = async (status: DocumentView['status']) =>
    (await platform.client.documents.list({ knowledgeBase: 'slow', status, limit: 100 })).documents;
  const held = () => standIn.texts.filter((each) => each.includes('Held number'));

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), settings());
    for (const id of ['slow', 'quick']) await platform.client.knowledgeBases.create({ id });
    await submitText(platform.client, { knowledgeBase: 'slow', sourceId: 'there.md', text: 'The unicorn is there already.' });
  });

  it('holds waiting documents, refuses new ones, and says how to resume it', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    standIn.beforeAnswer = () => gate;
    for (let i = 0; i < WAITING; i++)
      accepted(
        await platform.client.documents.submitText({ knowledgeBase: 'slow', sourceId: `${String(i).padStart(2, '0')}.md`, text: text(i) }),
      );
    await eventually('the first document is being embedded', async () => (held().length > 0 ? true : undefined));
    expect(await platform.client.knowledgeBases.pause('slow')).toMatchObject({ id: 'slow', status: 'paused' });
    release();
    standIn.beforeAnswer = () => Promise.resolve();
    const refusals = [
      await platform.ask('POST /v1/documents', { json: { knowledgeBase: 'slow', sourceId: 'new.md', text: 'New.' } }),
      await platform.ask(`POST /v1/documents/${(await of('indexed'))[0]?.documentId ?? ''}/retry`),
    ];
    for (const refused of refusals)
      expect(expectProblem(refused, 409, 'Conflict').detail).toMatch(/"slow" is paused .*POST \/v1\/knowledge-bases\/slow\/resume/);
    expectProblem(await platform.ask('POST /v1/knowledge-bases/slow/archive'), 409, 'Conflict');
    expect(await platform.client.knowledgeBases.get('slow')).toMatchObject({ status: 'paused' });
  });

  it('does not block others: they are indexed, held documents do not fill the queue, and searches work', async () => {
    await submitText(platform.client, { knowledgeBase: 'quick', sourceId: 'quick.md', text: 'The quick one overtakes.' });
    await submitText(
      platform.as((await platform.client.operations.createApiKey({ name: 'other', tenant: 'other', roles: ['writer'] })).key),
      { sourceId: 'other.md', text: 'Another tenant.' },
    );
    // Only the document in progress was finished.
    await eventually('the document in progress is finished', async () => ((await of('indexed')).length === 2 ? true : undefined));
    expect(held()).toHaveLength(1);
    const status = await eventually('the queue contains only held documents', async () => {
      const current = await platform.client.operations.status();
      return current.queue.depth === 0 ? current : undefined;
    });
    expect(status.documents).toMatchObject({ pending: WAITING - 1, processing: 0, held: WAITING - 1, failed: 0 });
    expect((await platform.client.search({ query: 'unicorn', knowledgeBases: ['slow'] })).hits[0]?.text).toBe(
      'The unicorn is there already.',
    );
  });

  it('stays paused after a restart, and processes all held documents in order when it is resumed', async () => {
    await platform.stop();
    platform = await PlatformUnderTest.start(platform.data, settings());
    expect(await platform.client.knowledgeBases.get('slow')).toMatchObject({ status: 'paused' });
    await submitText(platform.client, { knowledgeBase: 'quick', sourceId: 'again.md', text: 'The quick one again.' });
    expect(held()).toHaveLength(1);
    expect(await platform.client.knowledgeBases.resume('slow')).toMatchObject({ id: 'slow', status: 'active' });
    const indexed = await eventually('all documents are indexed', async () => {
      const found = await of('indexed');
      return found.length === WAITING + 1 ? found : undefined;
    });
    const all = Array.from({ length: WAITING }, (_, i) => text(i));
    // Where documents are spread over partitions, the order is kept only within a partition.
    expect(DISTRIBUTED ? [...held()].sort() : held()).toEqual(DISTRIBUTED ? all.sort() : all);
    expect(indexed.map(({ version, chunks }) => [version, chunks])).toEqual(indexed.map(() => [1, 1]));
    expect(await of('failed')).toEqual([]);
    expect(
      (await submitText(platform.client, { knowledgeBase: 'slow', sourceId: 'new.md', text: 'New, and taken.' })).document.status,
    ).toBe('indexed');
  });

  it('can be paused and resumed repeatedly until it is archived', async () => {
    for (const verb of ['pause', 'pause', 'resume', 'resume'] as const)
      expect((await platform.client.knowledgeBases[verb]('quick')).status).toBe(verb === 'pause' ? 'paused' : 'active');
    await platform.client.knowledgeBases.archive('quick');
    for (const verb of ['pause', 'resume']) expectProblem(await platform.ask(`POST /v1/knowledge-bases/quick/${verb}`), 409, 'Conflict');
  });
});
