import { expectProblem } from './ask.ts';
import { EmbeddingStandIn } from './embedding-stand-in.ts';
import { eventually } from './eventually.ts';
import { giveUpOn } from './give-up-on.ts';
import { aDataFolder, PlatformUnderTest } from './platform-under-test.ts';

describe('work that was given up', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_INGESTION_ATTEMPTS: '1' });
  });

  const give = (sourceId: string) => giveUpOn(standIn, platform.client, sourceId);

  it('is listed with its last error and the ids of what it was about', async () => {
    const { documentId, letter } = await give('first.md');
    expect(letter).toMatchObject({
      topic: 'palimpsest.ingestion', attempts: 1, error: expect.any(String), failedAt: expect.stringMatching(/Z$/), work: { tenant: 'default', documentId, version: 1 },
    });
  });

  it('is done after all once it is put back and the cause is gone', async () => {
    const { documentId, letter: { id } } = await give('second.md');
    standIn.refusal = undefined;
    await platform.client.operations.retryDeadLetter(id);
    await eventually('it is indexed', async () => ((await platform.client.documents.get(documentId)).status === 'indexed') || undefined);
    expect((await platform.client.operations.deadLetters()).map((letter) => letter.id)).not.toContain(id);
  });

  it('is gone once it is discarded, and unknown then', async () => {
    const { letter: { id } } = await give('third.md');
    await platform.client.operations.discardDeadLetter(id);
    expect((await platform.client.operations.deadLetters()).map((letter) => letter.id)).not.toContain(id);
    expectProblem(await platform.ask(`DELETE /v1/dead-letters/${id}`), 404, 'NotFound');
    expectProblem(await platform.ask(`POST /v1/dead-letters/${id}/retry`), 404, 'NotFound');
  });

  it('refuses a limit that is none', async () => {
    expectProblem(await platform.ask('GET /v1/dead-letters?limit=0'), 400, 'InvalidValue', { field: 'limit' });
  });
});
