import { readFile } from 'node:fs/promises';
import type { LineageReceipt } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { violations } from './axe.ts';
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

  it('is compared with what is chosen, which the address keeps', async () => {
    const page = await openConsole(platform.url, platform.key, `/replay/${traceId}`);
    await page.getByLabel('Text of the query').fill(QUERY);
    await page.getByLabel('Text of the query').press('Enter');
    await changes(page).waitFor();
    await page.getByText('Compare with something else').click();
    await page.getByLabel('Strategy').selectOption('SparseOnly');
    await page.getByLabel('Results').fill('1');
    await page.getByLabel('Labels').fill('{"eq"');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await seen(page, /JSON/);
    await page.getByLabel('Labels').fill('');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const compared = page.getByRole('region', { name: 'Compared with now, SparseOnly, 1 result' });
    await compared.getByText('Another request').first().waitFor();
    expect(new URL(page.url()).search).toBe('?strategy=SparseOnly&top=1');
    expect(page.url()).not.toContain('warranty');
    expect(await violations(page, 'all')).toEqual([]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await changes(page).waitFor();
    expect(new URL(page.url()).search).toBe('');
    // A position is the moment before the deletion.
    await page.getByText('Compare with something else').click();
    await page.getByLabel('Or a position').fill(String(BigInt(deletion) - 1n));
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await seen(page, 'The same hits in the same order.');
  });

  it('is refused in the server’s words for a generation that is not there', async () => {
    const page = await openConsole(platform.url, platform.key, `/replay/${traceId}?generation=team%3Ared+g9`);
    await page.getByLabel('Text of the query').fill(QUERY);
    await page.getByLabel('Text of the query').press('Enter');
    await page.getByRole('alert').getByText('Field against.generations.team:red').waitFor();
  });

  describe('of many', () => {
    const totals = (page: Opened) => page.locator('dl.facts');
    beforeAll(async () => {
      const { client } = platform;
      await client.tenants.setLimits('default', { overrides: { recordQueries: true } });
      for (const query of ['warranty', 'kettle']) await client.search({ query, knowledgeBases: ['reds'] });
      await eventually('both are on the log', async () => {
        const { retrievals } = await client.retrievals.replayMany({ limit: 100 });
        return retrievals.length >= 2 ? true : undefined;
      });
      await submitText(client, {
        knowledgeBase: 'reds',
        sourceId: 'toasters.md',
        text: '# Toasters\n\nNo warranty for a toaster, nor a kettle.',
      });
    });

    it('has totals, counts what is left out, and leads to each search', async () => {
      const page = await openConsole(platform.url, platform.key, '/timeline');
      await page.getByRole('link', { name: 'Replay past searches' }).click();
      await titled(page, 'Replay past searches');
      await page.getByLabel('Knowledge base').selectOption('reds');
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await totals(page)
        .getByText(/^\d+ searches, \d+ with other results/)
        .waitFor();
      await totals(page)
        .getByText(/^\d+: the text of the query is not recorded$/)
        .waitFor();
      await totals(page)
        .getByText(/Document arrived: \d/)
        .waitFor();
      expect(new URL(page.url()).search).toBe('?kb=reds&max=20');
      expect(await violations(page, 'all')).toEqual([]);
      await page.getByRole('region', { name: 'Replayed searches' }).getByRole('link').first().click();
      await titled(page, 'Replay of a search');
      await changes(page).getByText('Document arrived').first().waitFor();
    });

    it('compares with what is chosen, and says when nothing is in the window', async () => {
      const page = await openConsole(platform.url, platform.key, '/replay?strategy=SparseOnly&top=1');
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      const found = page.getByRole('region', { name: 'Compared with now, SparseOnly, 1 result' });
      await found
        .getByText(/Another request: \d/)
        .first()
        .waitFor();
      await found.getByRole('region', { name: 'Replayed searches' }).getByRole('link').first().click();
      await titled(page, 'Replay of a search');
      expect(new URL(page.url()).search).toBe('?strategy=SparseOnly&top=1');
      await page.goto(`${platform.url}/replay?after=1`);
      await seen(page, 'position 1');
      await page.getByLabel('After', { exact: true }).fill('2100-01-01T12:00:00');
      await page.getByLabel('Before', { exact: true }).fill('2020-01-01T12:00:00');
      await seen(page, '“After” must be earlier than “Before”.');
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      expect(new URL(page.url()).search).toBe('?after=1');
      await page.goto(`${platform.url}/replay?before=2001-01-01T00:00:00.000Z`);
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await seen(page, 'No past searches');
    });

    it('is that of a caller: another one finds nothing', async () => {
      const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
      const page = await openConsole(platform.url, key, '/replay');
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await seen(page, 'No past searches');
      expect(await page.getByLabel('Knowledge base').textContent()).not.toContain('reds');
      expect(await page.textContent('body')).not.toContain('warranty');
    });
  });

  it('is that of a caller: another one finds nothing', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const page = await openConsole(platform.url, key, `/replay/${traceId}`);
    await seen(page, 'Search not found');
    expect(await page.textContent('body')).not.toContain('warranty');
  });
});
