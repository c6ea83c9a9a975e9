import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { createDeadLetter } from '@palimpsest/e2e-support/create-dead-letter';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';

describe('failed jobs (dead letters)', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_INGESTION_ATTEMPTS: '1' });
  });

  const deadLetter = (sourceId: string) => createDeadLetter(standIn, platform.client, sourceId);

  it('are listed with their last error and the ids of their document', async () => {
    const { documentId, letter } = await deadLetter('first.md');
    expect(letter).toMatchObject({
      topic: 'palimpsest.ingestion',
      attempts: 1,
      error: expect.any(String),
      failedAt: expect.stringMatching(/Z$/),
      work: { tenant: 'default', documentId, version: 1 },
    });
  });

  it('succeed when they are retried after the cause is fixed', async () => {
    const {
      documentId,
      letter: { id },
    } = await deadLetter('second.md');
    standIn.refusal = undefined;
    await platform.client.operations.retryDeadLetter(id);
    await eventually(
      'the document is indexed',
      async () => (await platform.client.documents.get(documentId)).status === 'indexed' || undefined,
    );
    expect((await platform.client.operations.deadLetters()).map((letter) => letter.id)).not.toContain(id);
  });

  it('are not found after they were discarded', async () => {
    const {
      letter: { id },
    } = await deadLetter('third.md');
    await platform.client.operations.discardDeadLetter(id);
    expect((await platform.client.operations.deadLetters()).map((letter) => letter.id)).not.toContain(id);
    expectProblem(await platform.ask(`DELETE /v1/dead-letters/${id}`), 404, 'NotFound');
    expectProblem(await platform.ask(`POST /v1/dead-letters/${id}/retry`), 404, 'NotFound');
  });

  it('are not listed with an invalid limit', async () => {
    expectProblem(await platform.ask('GET /v1/dead-letters?limit=0'), 400, 'InvalidValue', { field: 'limit' });
  });
});
