import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, openWindow, seen, titled } from './browser.ts';

const MOMENT = /^As of \d+ \w+ \d{4}, \d\d:\d\d:\d\d \(position \d+\)$/;

describe('the past in the console', () => {
  let platform: PlatformUnderTest;
  let warranty: string;
  let returns: string;
  /** When the warranty was two years, and returns were not deleted. */
  let then: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    const { client } = platform;
    ({ documentId: returns } = await submitText(client, { sourceId: 'returns.md', text: '# Returns\n\nWithin thirty days.' }));
    const text = '# Warranty\n\nIt ends after two years.';
    ({ documentId: warranty } = await submitText(client, { sourceId: 'warranty.md', text }));
    then = (await client.timeline.list('deployment', { limit: 1 })).entries[0]?.position ?? '';
    await submitText(client, { sourceId: 'warranty.md', text: text.replace('two', 'three') });
    await client.documents.remove(returns);
    await client.knowledgeBases.create({ id: 'reds', scope: 'team:red' });
    await submitText(client, { knowledgeBase: 'reds', sourceId: 'zephyr.md', text: '# Zephyr\n\nA secret of the red team.' });
  });

  type Opened = Awaited<ReturnType<typeof openConsole>>;
  const banner = (page: Opened) => page.getByRole('region', { name: 'Moment in the past' });
  const hits = (page: Opened) => page.locator('.hits > li');

  it('is searched as of a moment of the timeline, and its results lead to the documents of then', async () => {
    const page = await openConsole(platform.url, platform.key, `/timeline?asOf=${then}`);
    await page.getByRole('link', { name: 'Search as of this moment' }).click();
    await titled(page, 'Search');
    await banner(page).getByText(MOMENT).waitFor();
    await page.getByLabel('Question').fill('when does the warranty end?');
    await page.getByLabel('Question').press('Enter');
    await hits(page).filter({ hasText: 'It ends after two years.' }).waitFor();
    await hits(page).filter({ hasText: 'Within thirty days.' }).waitFor();
    await seen(page, `The scope "team:red" did not exist yet at position ${then}.`);
    expect(await page.getByText('Judge these results').count()).toBe(0);
    await hits(page).getByRole('link', { name: 'Returns' }).click();
    await titled(page, 'Returns');
    await banner(page).getByText(MOMENT).waitFor();
    await page.getByRole('listitem').getByText('Within thirty days.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await banner(page).getByRole('button', { name: 'Back to now' }).click();
    await seen(page, 'Document not found');
  });

  it('never shows results of now as those of then', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=warranty');
    await hits(page).filter({ hasText: 'three years' }).waitFor();
    await page.goto(`${platform.url}/search?q=warranty&asOf=${then}`);
    await hits(page).filter({ hasText: 'two years' }).waitFor();
    await page.getByRole('button', { name: 'Context for a prompt' }).click();
    await page.getByLabel('The context', { exact: true }).getByText('two years').waitFor();
    await page.getByRole('button', { name: 'Compare strategies' }).click();
    await page
      .getByRole('region', { name: /^Sparse/ })
      .getByText('two years')
      .waitFor();
    await banner(page).getByRole('button', { name: 'Back to now' }).click();
    await page
      .getByRole('region', { name: /^Sparse/ })
      .getByText('three years')
      .waitFor();
    expect(await banner(page).count()).toBe(0);
  });

  it('has the documents of then, which cannot be changed', async () => {
    const page = await openConsole(platform.url, platform.key, `/documents?asOf=${then}`);
    const rows = page.getByRole('region', { name: 'Documents' }).getByRole('rowheader');
    await rows.filter({ hasText: 'Returns' }).waitFor();
    expect(await rows.count()).toBe(2);
    await banner(page).getByText(MOMENT).waitFor();
    expect(await page.getByLabel('Folder to upload').count()).toBe(0);
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await rows.getByRole('link', { name: 'Warranty' }).click();
    await seen(page, 'It ends after two years.');
    expect(new URL(page.url()).pathname).toBe(`/documents/${warranty}`);
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Documents' }).click();
    await rows.filter({ hasText: 'Returns' }).waitFor();
  });

  it('takes a time, and says what is wrong with one', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents?asOf=2020-01-01T00:00:00Z');
    await banner(page)
      .getByText(/^As of 1 Jan 2020, /)
      .waitFor();
    await seen(page, 'No documents at this moment');
    await page.goto(`${platform.url}/documents?asOf=yesterday`);
    await page.getByRole('alert').getByText('Field asOf').waitFor();
  });

  it('shows how far a moment is that is being built, and then the moment', async () => {
    const { page } = await openWindow(platform.url);
    let refusals = 4;
    await page.route('**/v1/documents?*', async (route) => {
      if (refusals-- <= 0) return route.continue();
      const detail = 'the read models as of position 7 are being built from the log (40 %); repeat the request to go on waiting';
      return route.fulfill({
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
        body: JSON.stringify({ status: 503, code: 'NotCaughtUp', title: 'Read models are behind', detail }),
      });
    });
    await page.goto(`${platform.url}/documents?asOf=${then}#key=${platform.key}`);
    await banner(page).getByText('are being built from the log (40 %).').waitFor();
    expect(await banner(page).getByRole('progressbar').getAttribute('value')).toBe('0.4');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('region', { name: 'Documents' }).getByRole('link', { name: 'Returns' }).waitFor();
    expect(await banner(page).getByRole('progressbar').count()).toBe(0);
  });

  it('shows another team nothing of a scope either', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const now = (await platform.client.events.list({ limit: 1 })).events[0]?.position ?? '';
    for (const [path, text] of [
      [`/documents?asOf=${now}`, /Warranty/],
      [`/search?q=zephyr+secret&asOf=${now}`, /\d results?/],
      [`/documents?kb=reds&asOf=${now}`, /No matching documents|not found/i],
    ] as const) {
      const page = await openConsole(platform.url, key, path);
      await seen(page, text);
      expect(await page.locator('main').textContent()).not.toMatch(/zephyr(?! secret)|secret of/i);
    }
  });
});
