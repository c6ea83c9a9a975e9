import { readFile } from 'node:fs/promises';
import type { LineageReceipt } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { openConsole, seen, titled } from './browser.ts';

const QUERY = 'when does the warranty end?';

describe('the replay of a search in the console', () => {
  let platform: PlatformUnderTest;
  let traceId: string;
  /** Of the deletion that is the cause of a lost hit. */
  let deletion: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_CHECKPOINT_SECONDS: '1',
    });
    const { client } = platform;
    await client.knowledgeBases.create({ id: 'reds', scope: 'team:red' });
    const submit = (sourceId: string, text: string) => submitText(client, { knowledgeBase: 'reds', sourceId, text });
    const { documentId } = await submit('warranty.md', '# Warranty\n\nThe warranty ends after two years.');
    await submit('returns.md', '# Returns\n\nWithin thirty days, also after the warranty.');
    ({ traceId } = await client.search({ query: QUERY }));
    await eventually(
      'the search is on the log',
      async () => (await client.events.list({ types: ['KnowledgeRetrieved'], limit: 1 })).events[0],
    );
    ({ position: deletion } = await client.documents.remove(documentId));
    await submit('kettles.md', '# Kettles\n\nThe warranty of a kettle ends when it leaks.');
  });

  type Opened = Awaited<ReturnType<typeof openConsole>>;
  const then = (page: Opened) => page.getByRole('region', { name: 'The hits as they were' });
  const changes = (page: Opened) => page.getByRole('region', { name: 'Compared with now' });

  it('is reached from its event, asks for the text that is not recorded, and says what changed and why', async () => {
    const page = await openConsole(platform.url, platform.key, '/events?type=KnowledgeRetrieved');
    await page.getByRole('link', { name: 'KnowledgeRetrieved' }).first().click();
    await page.getByRole('link', { name: 'Replay this search' }).click();
    await titled(page, 'Replay of a search');
    await seen(page, 'your tenant does not record queries');
    await page.getByLabel('Text of the query').fill('something else');
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('alert').getByText('Field query').waitFor();
    await page.getByLabel('Text of the query').fill(QUERY);
    await page.getByLabel('Text of the query').press('Enter');
    await then(page).getByText('The warranty ends after two years.').waitFor();
    expect(await then(page).getByRole('listitem').count()).toBe(2);
    await seen(page, /^(?:identical|not identical)$/);
    const lost = changes(page)
      .getByRole('listitem')
      .filter({ hasText: /Lost: was rank \d/ });
    await lost.getByText('Document deleted').waitFor();
    await changes(page)
      .getByRole('listitem')
      .filter({ hasText: /Gained: now rank \d/ })
      .getByText('Document arrived')
      .waitFor();
    await lost.getByRole('link', { name: `DocumentDeleted at ${deletion}` }).click();
    await titled(page, `DocumentDeleted at ${deletion}`);
    expect(page.url()).not.toContain('warranty');
  });

  it('needs no text after a search, and shows a lost document as it was', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=warranty');
    await page.locator('.timings summary').click();
    await page.locator('.timings').getByRole('link').click();
    await titled(page, 'Replay of a search');
    // The record may reach the log after the response.
    await eventually('the search can be repeated', async () => {
      const again = page.getByRole('button', { name: 'Look again' });
      if (await again.isVisible()) await again.click();
      return (await then(page).isVisible()) ? true : undefined;
    });
    await seen(page, 'The replay has the recorded hits with the recorded scores, to the last bit.');
    await seen(page, 'The same search has the same hits in the same order now.');
    await then(page)
      .getByRole('link', { name: /Returns|Kettles/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Moment in the past' }).waitFor();
  });

  it('gives the receipt of the search as a file, also where the text of the query is not recorded', async () => {
    const page = await openConsole(platform.url, platform.key, `/replay/${traceId}`);
    await seen(page, 'your tenant does not record queries');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the receipt of this search' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`receipt-${traceId}.json`);
    const receipt = JSON.parse(await readFile(await file.path(), 'utf8')) as LineageReceipt;
    expect(receipt).toMatchObject({ kind: 'palimpsest-lineage/1', traceId, hits: [{ rank: 1 }, { rank: 2 }] });
  });

  it('is that of a caller: another one finds nothing', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const page = await openConsole(platform.url, key, `/replay/${traceId}`);
    await seen(page, 'Search not found');
    expect(await page.textContent('body')).not.toContain('warranty');
  });
});
