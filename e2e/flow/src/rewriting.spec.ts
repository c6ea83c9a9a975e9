import type { ServerResponse } from 'node:http';
import { aChatStandIn, sendChat, type ChatStandIn } from '@palimpsest/e2e-support/chat-stand-in';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const SECRET = 'sk-of-the-chat-model';

/** Writes "annual leave" for every query. */
const annualLeave = (prompt: string) => {
  const { query } = JSON.parse(prompt) as { query: string };
  return query.includes('passage') ? { passage: 'Annual leave lasts six weeks.' } : { queries: ['annual leave', 'annual leave lasts'] };
};

describe('a search whose query a chat model rewrites', () => {
  let chat: ChatStandIn;
  let platform: PlatformUnderTest;

  beforeAll(async () => {
    chat = await aChatStandIn(annualLeave, 'writes', SECRET);
    const standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), ...chat.settings });
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    for (const [name, text] of Object.entries({ one: 'The harbour has a berth.', two: 'Annual leave lasts six weeks.' }))
      await submitText(platform.client, { sourceId: `${name}.md`, text });
  });
  const search = (over: object = {}) =>
    platform.client.search({ query: 'my vacation', rewrite: 'queries', strategy: 'DenseOnly', ...over });

  it('finds what the other wordings mean, and says so in response, context and record', async () => {
    const { hits, rewritten, traceId } = await search();
    expect(hits[0]?.source).toBe('two.md');
    expect(rewritten).toMatchObject({
      by: 'queries',
      model: 'chat:writes+rewrite1',
      outcome: 'rewritten',
      texts: ['annual leave', 'annual leave lasts'],
    });
    const context = await platform.client.context({ query: 'a passage on vacation', rewrite: 'hypothetical' });
    expect(context.rewritten).toMatchObject({ by: 'hypothetical', texts: ['Annual leave lasts six weeks.'] });
    const asked = chat.prompts.length;
    const replay = await eventually('the record is on the log', async () => {
      const answer = await platform.ask(`POST /v1/retrievals/${traceId}/replay`, { json: {} });
      return answer.status === 200 ? answer.json : undefined;
    });
    expect(replay['sameHits']).toBe(true);
    if (!DISTRIBUTED) expect(replay).toMatchObject({ identical: true, differences: [] });
    expect(chat.prompts).toHaveLength(asked);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['words', (response) => sendChat(response, `Sure! ${SECRET}`), 'returned no list'],
    [
      'an error that repeats the key',
      (response) => response.writeHead(401).end(`{"error":{"message":"${SECRET}"}}`),
      'failed (status 401)',
    ],
  ])('goes on with the query alone after %s, and says so', async (_, faulty, reason) => {
    chat.state.faulty = faulty;
    const found = await search({ explain: true });
    chat.state.faulty = undefined;
    const plain = await search({ rewrite: undefined });
    expect(found.hits.map(({ chunkId, score }) => [chunkId, score])).toEqual(plain.hits.map(({ chunkId, score }) => [chunkId, score]));
    expect(found.rewritten).toMatchObject({ outcome: 'skipped', texts: [], reason: expect.stringContaining(`the chat model ${reason}`) });
    expect(found.hits[0]?.explain?.skipped).toEqual({ rewrite: found.rewritten?.reason });
    expect(JSON.stringify(found) + platform.stderr).not.toContain(SECRET);
  });
});
