import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit/eventually';
import { openConsole, seen, titled } from './browser.ts';

const WARRANTY = { sourceId: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' };

describe('the timeline in the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    const { client } = platform;
    const { documentId } = await submitText(client, { sourceId: 'returns.md', text: '# Returns\n\nWithin thirty days.' });
    await submitText(client, WARRANTY);
    await submitText(client, { ...WARRANTY, text: '# Warranty\n\nIt ends after three years.' });
    await client.documents.remove(documentId);
    await client.knowledgeBases.create({ id: 'reds', scope: 'team:red' });
    await submitText(client, { knowledgeBase: 'reds', sourceId: 'zephyr.md', text: '# Zephyr\n\nA secret of the red team.' });
  });

  type Opened = Awaited<ReturnType<typeof openConsole>>;
  const list = (page: Opened) => page.getByRole('region', { name: 'What happened' });
  const slider = (page: Opened) => page.getByRole('slider', { name: 'Moment' });
  const valueText = (page: Opened, text: RegExp): Promise<true> =>
    eventually(`the slider says ${text}`, async () =>
      text.test((await slider(page).getAttribute('aria-valuetext')) ?? '') ? true : undefined,
    );

  it('lists what happened, newest first, with the chunks that changed', async () => {
    const page = await openConsole(platform.url, platform.key, '/timeline');
    await titled(page, 'Timeline');
    await list(page).getByText('“Returns” was deleted').waitFor();
    const rows = (await list(page).getByRole('rowheader').allTextContents()).filter((text) => text.includes('“'));
    expect(rows.map((text) => /“.*?” (?:arrived|changed to version \d|was deleted)/.exec(text)?.[0])).toEqual([
      '“Returns” was deleted',
      '“Warranty” changed to version 2',
      '“Warranty” arrived',
      '“Returns” arrived',
    ]);
    expect(rows[1]).toContain('1 chunk added, 1 removed');
  });

  it('is moved through with the arrow keys, and says the moment that is chosen', async () => {
    const page = await openConsole(platform.url, platform.key, '/timeline');
    await slider(page).waitFor();
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('Now');
    await slider(page).focus();
    await page.keyboard.press('ArrowLeft');
    await valueText(page, /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d \(position \d+\): “Returns” was deleted$/);
    await page.keyboard.press('ArrowLeft');
    await valueText(page, /“Warranty” changed to version 2$/);
    await page.waitForURL(/asOf=\d+$/);
    await list(page).getByRole('row').filter({ hasText: 'was deleted' }).getByText('later').waitFor();
    const chosen = list(page).getByRole('button', { pressed: true });
    expect(await chosen.textContent()).toContain(`the moment ${new URL(page.url()).searchParams.get('asOf')}`);
    await page.keyboard.press('End');
    await valueText(page, /^Now$/);
    await page.waitForURL((url) => !url.searchParams.has('asOf'));
  });

  it('takes a date and a time, and an entry of the list', async () => {
    const page = await openConsole(platform.url, platform.key, '/timeline');
    const time = page.getByLabel('Or a date and time');
    await time.fill((await time.getAttribute('max')) ?? '');
    await page.getByRole('button', { name: 'Go to this time' }).click();
    await page.waitForURL(/asOf=\d{4}-/);
    await list(page).getByRole('row').filter({ hasText: '“Warranty” arrived' }).getByRole('button').click();
    await valueText(page, /“Warranty” arrived$/);
    const link = await page.getByRole('link', { name: 'Search as of this moment' }).getAttribute('href');
    expect(link).toBe(`/search?asOf=${new URL(page.url()).searchParams.get('asOf')}`);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await valueText(page, /^Now$/);
  });

  it('is that of one scope, and of one knowledge base in it', async () => {
    const page = await openConsole(platform.url, platform.key, '/timeline');
    await page.getByLabel('Scope').selectOption('team:red');
    await list(page).getByText('“Zephyr” arrived').waitFor();
    expect(await list(page).getByText('Warranty').count()).toBe(0);
    await page.getByLabel('Knowledge base').selectOption('reds');
    await page.waitForURL(/kb=reds/);
    await list(page).getByText('“Zephyr” arrived').waitFor();
  });

  it('shows another team nothing of a scope', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const page = await openConsole(platform.url, key, '/timeline?scope=team:red');
    await seen(page, 'Scope not found');
    expect(await page.textContent('body')).not.toMatch(/zephyr/i);
    await page.getByLabel('Scope').selectOption('deployment');
    await list(page).getByText('“Warranty” arrived').waitFor();
    expect(await page.textContent('body')).not.toMatch(/zephyr/i);
  });
});
