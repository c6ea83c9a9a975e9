import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { createDeadLetter } from '@palimpsest/e2e-support/create-dead-letter';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

describe('dead letters in the console', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_INGESTION_ATTEMPTS: '1' });
  });

  const give = (sourceId: string) => createDeadLetter(standIn, platform.client, sourceId);

  it('are looked at, and retried when the cause is gone', async () => {
    const page = await openConsole(platform.url, platform.key, '/dead-letters');
    await seen(page, 'No failed jobs');
    const { documentId } = await give('first.md');
    await page.getByRole('heading', { name: `default/${documentId}` }).waitFor();
    await page.getByText('Job details').click();
    expect(await page.getByLabel('Job details', { exact: true }).textContent()).toContain(documentId);
    standIn.refusal = undefined;
    await page.getByRole('button', { name: `Retry default/${documentId}` }).click();
    await seen(page, 'was queued again');
    await seen(page, 'No failed jobs');
    await eventually('it is indexed', async () =>
      (await platform.client.documents.get(documentId)).status === 'indexed' ? true : undefined,
    );
  });

  it('are discarded, once that is confirmed', async () => {
    const { documentId } = await give('second.md');
    const page = await openConsole(platform.url, platform.key, '/dead-letters');
    await page.getByRole('button', { name: `Discard default/${documentId}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await seen(page, 'was discarded');
    expect(await platform.client.operations.deadLetters()).toEqual([]);
  });

  it('that no longer exist are reported in the server’s words', async () => {
    const { documentId } = await give('third.md');
    const page = await openConsole(platform.url, platform.key, '/dead-letters');
    const retry = page.getByRole('button', { name: `Retry default/${documentId}` });
    await retry.waitFor();
    const [letter] = await platform.client.operations.deadLetters();
    // The page still shows it, as it does briefly when another operator was faster.
    await page.route('**/v1/dead-letters', (route) => route.fulfill({ json: { deadLetters: [letter] } }));
    await platform.client.operations.discardDeadLetter(letter?.id ?? '');
    await retry.click();
    await seen(page, 'Not found');
  });
});
