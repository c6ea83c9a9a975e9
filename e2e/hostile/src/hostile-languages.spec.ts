import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

const HOSTILE: readonly unknown[] = [
  '../../etc/passwd',
  'en/../de',
  '..',
  'english',
  `en-${'x'.repeat(10_000)}`,
  'de\u0000',
  'de\n',
  '',
  7,
  ['de'],
  { toString: 'de' },
];

describe('an invalid language', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'kb', language: 'de' });
  });
  afterAll(() => platform.stop());

  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${platform.url}${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, ...((await answer.json()) as { code?: string; field?: string }) };
  };

  it.each([
    ['POST', '/v1/knowledge-bases', { id: 'other' }],
    ['PATCH', '/v1/knowledge-bases/kb', {}],
    ['POST', '/v1/search', { query: 'Kessel' }],
    ['POST', '/v1/context', { query: 'Kessel' }],
  ])('is refused with its field: %s %s', async (method, path, body) => {
    for (const language of HOSTILE)
      expect({ language, ...(await send(method, path, { ...body, language })) }).toMatchObject({
        language,
        status: 400,
        code: 'InvalidValue',
        field: 'language',
      });
  });

  it('is refused in an import', async () => {
    const knowledgeBase = { id: 'imported', name: 'Imported', description: '', chunking: {}, status: 'active' };
    const head = {
      kind: 'export',
      format: 1,
      scope: 'deployment',
      embeddingVersion: 'test:any/8',
      exportedAt: '2026-11-22T08:00:00.000Z',
      documents: 0,
    };
    for (const language of HOSTILE) {
      const answer = await send('POST', '/v1/imports/deployment', {
        export: { ...head, knowledgeBases: [{ ...knowledgeBase, language }] },
      });
      expect({ language, ...answer }).toMatchObject({
        language,
        status: 400,
        code: 'InvalidValue',
        field: expect.stringMatching(/language$/),
      });
    }
  });

  it('changes nothing, and `null` removes the declared language', async () => {
    expect(await platform.client.knowledgeBases.get('kb')).toMatchObject({ language: 'de' });
    await platform.client.knowledgeBases.update('kb', { language: null });
    expect(JSON.stringify(await platform.client.knowledgeBases.list())).not.toContain('language');
  });
});
