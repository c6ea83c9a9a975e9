import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const TEXT = '# Plan\n\nThe word is zanzibarquux.';
const QUERY = 'where is zanzibarquux';
const SECRETS = {
  text: 'zanzibarquux',
  title: 'Kilimanjaroquux',
  source: 'matterhornquux',
  label: 'dolomitesquux',
  'knowledge base': 'pyreneesquux',
  description: 'himalayaquux',
  filter: 'vesuviusquux',
};

/** Digests that anybody can compute from a guess, in the spellings in which a log could contain them. */
const guesses = (content: string): readonly Buffer[] => {
  const digest = createHash('sha256').update(content).digest();
  return [
    digest,
    ...(['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(digest.toString(encoding).replaceAll('=', ''))),
  ];
};

describe('an attacker who copies the event log and the message queues', () => {
  let platform: PlatformUnderTest;
  let copied: Buffer;

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'plans', name: SECRETS['knowledge base'], description: SECRETS.description });
    await submitText(client, {
      sourceId: `${SECRETS.source}.md`,
      title: SECRETS.title,
      labels: { team: SECRETS.label },
      knowledgeBase: 'plans',
      text: TEXT,
    });
    const { hits } = await client.search({ query: QUERY, filter: { not: { eq: { field: 'title', value: SECRETS.filter } } } });
    expect(hits).toHaveLength(1);
    await eventually('the retrieval is on the log', async () =>
      (await client.events.list({ types: ['KnowledgeRetrieved'] })).events.length > 0 ? true : undefined,
    );
    await platform.stop();
    const folders = await Promise.all(
      ['log', 'bus'].map(async (folder) => (await readdir(join(platform.data, folder))).map((file) => join(platform.data, folder, file))),
    );
    copied = Buffer.concat(await Promise.all(folders.flat().map((file) => readFile(file))));
  });

  it('has the events, so the check works', () => {
    for (const type of ['DocumentIndexed', 'KnowledgeRetrieved', 'plans'])
      expect({ type, found: copied.includes(type) }).toEqual({ type, found: true });
  });

  it.each(Object.entries(SECRETS))('reads no %s', (_, secret) => {
    for (const spelling of [secret, secret.toLowerCase()].flatMap((one) => [Buffer.from(one), Buffer.from(one, 'utf16le')]))
      expect(copied.includes(spelling)).toBe(false);
  });

  it.each([
    ['document', TEXT],
    ['query', QUERY],
    ['source', `${SECRETS.source}.md`],
    ['title', SECRETS.title],
  ])('cannot confirm a guessed %s by its digest', (_, guess) => {
    for (const digest of guesses(guess)) expect(copied.includes(digest)).toBe(false);
  });
});
