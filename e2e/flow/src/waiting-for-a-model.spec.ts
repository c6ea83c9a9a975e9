import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('documents that are accepted while the model of their scope is missing', () => {
  let standIn: EmbeddingStandIn;
  let data: string;
  let platform: PlatformUnderTest;
  const startWith = async (model: string) => (platform = await PlatformUnderTest.start(data, standIn.settings(model)));
  const accept = async (sourceId: string) =>
    void (await platform.client.documents.submitText({ sourceId, text: `The text of ${sourceId}.` }));
  const stateOf = async (source: string) => (await platform.client.documents.list({ source })).documents[0];
  const waits = (source: string, model: string) =>
    eventually(`${source} waits`, async () => {
      const document = await stateOf(source);
      return document?.reason === undefined
        ? undefined
        : (expect(document).toMatchObject({ status: 'pending', reason: 'waiting-for-model', detail: expect.stringContaining(model) }) ??
            true);
    });
  const indexed = (source: string) =>
    eventually(`${source} is indexed`, async () => ((await stateOf(source))?.status === 'indexed' ? true : undefined));
  const reembedded = async () => {
    await platform.client.operations.reembed('deployment');
    await eventually('the scope is re-embedded', async () =>
      (await platform.client.operations.reembedProgress('deployment')).state === 'idle' ? true : undefined,
    );
  };
  const nothingFailed = async () => {
    expect((await platform.ask('GET /v1/dead-letters')).json).toMatchObject({ deadLetters: [] });
    expect((await platform.client.operations.status()).documents).toMatchObject({ failed: 0, pending: 0, processing: 0 });
    expect((await platform.client.operations.verify()).clean).toBe(true);
  };

  beforeAll(async () => {
    [standIn, data] = [await EmbeddingStandIn.open(), await aDataFolder()];
    await startWith('old');
    await submitText(platform.client, { sourceId: 'first.md', text: 'The first text.' });
    await platform.stop();
    await startWith('new');
  });

  it('wait, name the model, and count as held; also after a kill', async () => {
    await accept('second.md');
    await waits('second.md', 'openai:old/64');
    expect((await platform.client.operations.status()).documents).toMatchObject({ pending: 1, held: 1, failed: 0 });
    await platform.kill();
    await startWith('new');
    await accept('third.md');
    await waits('third.md', 'openai:old/64');
    await waits('second.md', 'openai:old/64');
  });

  it('are processed automatically when the scope has another model', async () => {
    await reembedded();
    for (const source of ['second.md', 'third.md']) await indexed(source);
    await nothingFailed();
  });

  it('are processed automatically after a return to the old model as described in the guide', async () => {
    await platform.stop();
    await startWith('old');
    await accept('fourth.md');
    await waits('fourth.md', 'openai:new/64');
    await reembedded();
    await indexed('fourth.md');
    await nothingFailed();
  });

  it('are processed automatically after a start with the model that they wait for', async () => {
    await platform.stop();
    await startWith('new');
    await accept('fifth.md');
    await waits('fifth.md', 'openai:old/64');
    await platform.stop();
    await startWith('old');
    await indexed('fifth.md');
    await nothingFailed();
    await platform.stop();
  });
});

describe('a chunk that the new model cannot embed', () => {
  it('is found lexically in the new generation, is counted, and verify is clean; also after a rebuild', async () => {
    const standIn = await EmbeddingStandIn.open();
    const data = await aDataFolder();
    let platform = await PlatformUnderTest.start(data, standIn.settings('old'));
    await submitText(platform.client, { sourceId: 'good.md', text: 'A sentence that every model takes.' });
    await submitText(platform.client, { sourceId: 'bad.md', text: 'A sentence with the word xylophone in it.' });
    await platform.stop();
    platform = await PlatformUnderTest.start(data, standIn.settings('new'));
    standIn.refusal = { when: (text) => text.includes('word xylophone'), status: 400 };
    await platform.client.operations.reembed('deployment');
    const done = await eventually('the scope is re-embedded', async () => {
      const progress = await platform.client.operations.reembedProgress('deployment');
      return progress.state === 'idle' && progress.done === 1 ? progress : undefined;
    });
    expect(done).toMatchObject({ total: 2, done: 1, withoutVector: 1 });
    for (let round = 0; round < 2; round++) {
      expect((await platform.client.search({ query: 'xylophone', strategy: 'SparseOnly' })).hits.map(({ source }) => source)).toEqual([
        'bad.md',
      ]);
      expect((await platform.client.search({ query: 'xylophone' })).hits.map(({ source }) => source)).toContain('bad.md');
      const verified = await platform.client.operations.verify();
      expect(verified).toMatchObject({ clean: true, differences: [] });
      expect(await platform.client.operations.status()).toMatchObject({ chunks: 2, failedChunks: 0, withoutVector: 1 });
      const { documents } = await platform.client.documents.list();
      expect(documents.map(({ sourceId, chunks, withoutVector }) => [sourceId, chunks, withoutVector])).toEqual([
        ['bad.md', 1, 1],
        ['good.md', 1, 0],
      ]);
      expect(verified.partitions.find(({ generation }) => generation === 'g2')).toMatchObject({ chunks: 2, withoutVector: 1 });
      await platform.client.operations.rebuild();
    }
    await platform.stop();
  });
});
