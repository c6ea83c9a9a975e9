import type { DocumentChange, EventView, NewApiKey } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { followingClient, ServerSent } from './server-sent.ts';

const LIMIT = 4;
const RANK = ['pending', 'processing', 'indexed'];

describe('listing and following events', () => {
  let platform: PlatformUnderTest;
  const keyOf = async (key: Partial<NewApiKey>) => (await platform.client.operations.createApiKey({ name: 'test', ...key })).key;
  const head = async () => (await platform.client.events.list({ limit: 1 })).head;
  const open = (key: string, path: string, lastEventId?: string) => ServerSent.open(platform.url, key, path, lastEventId);
  const typesOf = (events: readonly EventView[]) => events.map(({ type }) => type);

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_LIVE_STREAMS: String(LIMIT),
    });
    for (const team of ['red', 'blue']) await platform.client.knowledgeBases.create({ id: team, scope: `team:${team}` });
  });

  it('shows the history of a document, unsealed, newest first, and single events by position', async () => {
    const { documentId } = await submitText(platform.client, {
      knowledgeBase: 'red',
      sourceId: 'history.md',
      text: 'Quiet hippogriffs graze.',
    });
    const { events } = await platform.client.events.list({ document: documentId });
    expect(typesOf(events)).toEqual(['DocumentIndexed', 'KnowledgeChunkIndexed', 'DocumentProcessingStarted', 'DocumentSubmitted']);
    const [, chunk] = events;
    expect(chunk).toMatchObject({
      content: 'open',
      scope: 'team:red',
      category: 'document',
      documentId,
      actor: 'ingestion-worker',
      data: { text: { text: 'Quiet hippogriffs graze.' }, vector: { dimensions: 64 } },
    });
    expect(await platform.client.events.get(chunk?.position ?? '')).toEqual(chunk);
    const ofBase: EventView[] = [];
    for await (const event of platform.client.events.listAll({
      knowledgeBase: 'red',
      direction: 'forwards',
      limit: 1,
      types: ['KnowledgeBaseCreated', 'DocumentIndexed'],
    }))
      ofBase.push(event);
    expect(typesOf(ofBase)).toEqual(['KnowledgeBaseCreated', 'DocumentIndexed']);
    const answer = await platform.ask('GET /v1/events?type=Nonsense');
    expect(expectProblem(answer, 400, 'InvalidValue').field).toBe('type[0]');
  });

  it('streams the same events as the list, without gaps or duplicates, also after a lost connection', async () => {
    const from = await head();
    const first = await open(platform.key, `/v1/events/live?after=${from}&knowledgeBase=red`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    for (let i = 0; i < 5; i++)
      await submitText(platform.client, {
        knowledgeBase: i % 2 === 0 ? 'red' : 'blue',
        sourceId: `live-${i}.md`,
        text: `Live number ${i}.`,
      });
    await eventually('some events have arrived', async () => (first.messages.length >= 3 ? true : undefined));
    await first.close();
    const received = first.messages.slice(0, 3);
    const second = await open(platform.key, '/v1/events/live?knowledgeBase=red', received.at(-1)?.id);
    await submitText(platform.client, { knowledgeBase: 'red', sourceId: 'live-last.md', text: 'The last one.' });
    const listed: EventView[] = [];
    for await (const event of platform.client.events.listAll({ knowledgeBase: 'red', direction: 'forwards' }))
      if (BigInt(event.position) > BigInt(from)) listed.push(event);
    await eventually('all events have arrived', async () => (received.length + second.messages.length >= listed.length ? true : undefined));
    await second.close();
    expect([...received, ...second.messages].map(({ data }) => data)).toEqual(listed);
    for (const { id, event, data } of second.messages) expect([event, data['position']]).toEqual(['event', id]);
  });

  it('streams a change of a document only after requests return it', async () => {
    const client = followingClient(platform.url, platform.key);
    const stop = new AbortController();
    const after = await head();
    const changes: DocumentChange[] = [];
    const following = (async () => {
      for await (const change of client.documents.follow({ knowledgeBase: 'blue' }, { after, signal: stop.signal })) {
        changes.push(change);
        // Sent without a position: any process that responds has already reached it.
        const { json } = await platform.ask(`GET /v1/documents/${change.documentId}`, { fetch });
        if (change.status !== 'deleted') expect(RANK.indexOf(String(json['status']))).toBeGreaterThanOrEqual(RANK.indexOf(change.status));
      }
    })();
    const { documentId } = await submitText(platform.client, { knowledgeBase: 'blue', sourceId: 'changing.md', text: 'It changes.' });
    await eventually('it is indexed', async () => changes.find(({ status }) => status === 'indexed'));
    await platform.client.documents.remove(documentId);
    await eventually('it is deleted', async () => changes.find(({ status }) => status === 'deleted'));
    stop.abort();
    await following;
    expect(new Set(changes.map((change) => change.documentId))).toEqual(new Set([documentId]));
    const ranks = changes.filter(({ status }) => status !== 'deleted').map(({ status }) => RANK.indexOf(status));
    expect(ranks).toEqual([...ranks].sort());
    expect(changes.find(({ status }) => status === 'indexed')?.document).toMatchObject({
      documentId,
      knowledgeBase: 'blue',
      sourceId: 'changing.md',
      status: 'indexed',
      chunks: 1,
    });
    expect(changes.at(-1)?.document).toBeUndefined();
    expect(JSON.stringify(changes)).not.toContain('"tenant"');
  });

  it('shows no content to another tenant, another team or an operator', async () => {
    const from = await head();
    const strangers = [
      { who: 'another tenant', key: await keyOf({ tenant: 'other', teams: ['*'], user: 'local', roles: ['admin'] }) },
      { who: 'another team', key: await keyOf({ teams: ['blue'], roles: ['admin'] }) },
    ];
    const operator = await keyOf({ teams: ['*'], roles: ['operator'] });
    const { documentId } = await submitText(platform.client, {
      knowledgeBase: 'red',
      sourceId: 'secret-plan.md',
      title: 'Secret title',
      text: 'The secret zebra.',
    });
    const events = await open(operator, `/v1/events/live?after=${from}`);
    expectProblem(await platform.ask('GET /v1/documents/live', { key: operator }), 403, 'Forbidden');
    expectProblem(await platform.ask(`GET /v1/events?document=${documentId}`, { key: operator }), 403, 'Forbidden');
    await eventually('the operator sees that a document was indexed', async () =>
      events.messages.find(({ data }) => data['type'] === 'DocumentIndexed'),
    );
    await events.close();
    const seen = events.messages.filter(({ data }) => data['category'] === 'document');
    expect(seen.map(({ data }) => data['content'])).toEqual(seen.map(() => 'withheld'));
    for (const name of ['secret', 'Secret', 'team:red', documentId, '"data"'])
      expect({ name, leaked: JSON.stringify(seen.map(({ data }) => data)).includes(name) }).toEqual({ name, leaked: false });
    for (const { who, key } of strangers) {
      const streams = [await open(key, `/v1/events/live?after=${from}`), await open(key, `/v1/documents/live?after=${from}`)];
      // Their own document comes after it on the log: once that has arrived, the other one was left out.
      const own = platform.as(key);
      await own.knowledgeBases.create({ id: who.replace(' ', '-'), ...(who === 'another team' ? { scope: 'team:blue' } : {}) });
      await submitText(own, { knowledgeBase: who.replace(' ', '-'), sourceId: 'own.md', text: 'Their own.' });
      await eventually(`${who} sees its own document`, async () =>
        streams[0]?.text.includes('own.md') && streams[1]?.text.includes('own.md') ? true : undefined,
      );
      for (const stream of streams) {
        await stream.close();
        expect({ who, leaked: /secret|Secret|team:red/.test(stream.text) || stream.text.includes(documentId) }).toEqual({
          who,
          leaked: false,
        });
      }
      const listed = await platform.ask('GET /v1/events?limit=200', { key });
      expect({ who, leaked: /secret|Secret|team:red/.test(listed.text) || listed.text.includes(documentId) }).toEqual({
        who,
        leaked: false,
      });
      for (const route of [
        `/v1/events?document=${documentId}&limit=1`,
        `/v1/events/live?after=${from}&document=${documentId}`,
        `/v1/documents/live?document=${documentId}`,
      ])
        expectProblem(await platform.ask(`GET ${route}`, { key }), 404, 'NotFound');
    }
  });

  it('limits the streams per tenant', async () => {
    const key = await keyOf({ tenant: 'busy', roles: ['reader'] });
    const streams = [];
    for (let i = 0; i < LIMIT; i++) streams.push(await open(key, '/v1/events/live'));
    const refused = await platform.ask('GET /v1/events/live', { key, fetch });
    expectProblem(refused, 429, 'Overloaded');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await open(await keyOf({ tenant: 'calm', roles: ['reader'] }), '/v1/events/live');
    expect(other.status).toBe(200);
    for (const stream of [...streams, other]) await stream.close();
    const again = await eventually('a stream is available again', async () => {
      const stream = await open(key, '/v1/events/live');
      return stream.status === 200 ? stream : undefined;
    });
    await again.close();
  });

  it('ends the streams of a revoked key', async () => {
    const issued = await platform.client.operations.createApiKey({ name: 'short', teams: ['red'], roles: ['reader'] });
    const stream = await open(issued.key, '/v1/events/live');
    await platform.client.operations.revokeApiKey(issued.keyId);
    await submitText(platform.client, { knowledgeBase: 'red', sourceId: 'after.md', text: 'After the revocation.' });
    await stream.ended;
    expect(stream.messages.map(({ event, data }) => [event, data])).toEqual([['end', { reason: 'refused' }]]);
  });

  it.each([
    ['/v1/events/live', { 'last-event-id': 'x' }, 'last-event-id'],
    ['/v1/events/live?after=x', {}, 'after'],
    ['/v1/documents/live?after=-1', {}, 'after'],
    ['/v1/documents/live?colour=red', {}, 'colour'],
    ['/v1/events/first', {}, 'position'],
  ])('refuses %s with %j, naming %s', async (path, headers, field) =>
    expect(expectProblem(await platform.ask(`GET ${path}`, { headers, fetch }), 400, 'InvalidValue').field).toBe(field),
  );

  it('sends an end message at shutdown and does not delay it', async () => {
    const streams = [await open(platform.key, '/v1/events/live'), await open(platform.key, '/v1/documents/live')];
    const { code } = await platform.stop();
    for (const stream of streams) {
      await stream.ended;
      expect(stream.messages.at(-1)).toMatchObject({ event: 'end', id: expect.stringMatching(/^\d+$/), data: { reason: 'shutdown' } });
    }
    expect(code).toBe(0);
  });
});
