import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';

describe('the language that a knowledge base declares', () => {
  let data: string;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    data = await aDataFolder();
    platform = await PlatformUnderTest.start(data, (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'parts' });
    // The first document of its knowledge base, too short for language detection.
    const { document } = await submitText(platform.client, { knowledgeBase: 'parts', sourceId: 'raeder.txt', text: 'Fahrräder 4711' });
    expect(document.language).toBe('und');
  });
  afterAll(() => platform.stop());

  const found = async (query: string, language?: string) => {
    const { hits } = await platform.client.search({ query, knowledgeBases: ['parts'], strategy: 'SparseOnly', language });
    return hits.map(({ source }) => source);
  };
  const verified = async () => {
    const { clean, partitions } = await platform.client.operations.verify();
    return { clean, fingerprints: partitions.map(({ fingerprint }) => fingerprint) };
  };
  const declare = async (language: string | null) => {
    const { position } = await platform.client.knowledgeBases.update('parts', { language });
    await platform.client.search({ query: 'any', atLeast: position });
  };

  it('applies to documents that were indexed before, survives a rebuild, and can be removed', async () => {
    const before = await verified();
    expect([before.clean, await found('Fahrrad')]).toEqual([true, []]);
    await declare('de-CH');
    expect(await found('Fahrrad')).toEqual(['raeder.txt']);
    const declared = await verified();
    expect(declared.clean).toBe(true);
    expect(declared.fingerprints).not.toEqual(before.fingerprints);
    await platform.client.operations.rebuild();
    expect([await verified(), await found('Fahrrad')]).toEqual([declared, ['raeder.txt']]);
    await declare(null);
    expect([await verified(), await found('Fahrrad')]).toEqual([before, []]);
  });

  it('can also be set for a query, and is recorded with it', async () => {
    await declare('de');
    expect(await found('Fahrrades', 'de')).toEqual(['raeder.txt']);
    await eventually('the retrieval is recorded', async () => {
      const named = (await recordedEvents(data)).filter(
        ({ type, data: record }) => type === 'KnowledgeRetrieved' && record['language'] === 'de',
      );
      return named.length > 0 ? named : undefined;
    });
  });
});
