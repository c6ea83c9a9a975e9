import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

describe('the event log in the console', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    ({ documentId } = await submitText(platform.client, { sourceId: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' }));
  });

  const types = (page: Awaited<ReturnType<typeof openConsole>>): Promise<readonly string[]> =>
    page.getByRole('region', { name: 'Events' }).getByRole('rowheader').allTextContents();

  it('is browsed by document and by type, newest first', async () => {
    const page = await openConsole(platform.url, platform.key, `/events?document=${documentId}`);
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'DocumentIndexed' }).waitFor();
    expect(await types(page)).toEqual(['DocumentIndexed', 'KnowledgeChunkIndexed', 'DocumentProcessingStarted', 'DocumentSubmitted']);
    await page.getByLabel('Type').fill('DocumentSubmitted, DocumentIndexed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'KnowledgeChunkIndexed' }).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'DocumentSubmitted' }).waitFor();
    expect(await types(page)).toEqual(['DocumentIndexed', 'DocumentSubmitted']);
    await page.getByLabel('Type').fill('NoSuchType');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('alert').getByText('Invalid request').waitFor();
  });

  it('shows an event unsealed to those who may read its scope', async () => {
    const page = await openConsole(platform.url, platform.key, `/events?document=${documentId}&type=KnowledgeChunkIndexed`);
    await page.getByRole('link', { name: 'KnowledgeChunkIndexed' }).click();
    const data = page.getByLabel('The event’s data');
    await data.waitFor();
    expect(await data.textContent()).toContain('It ends after two years.');
    expect(await data.textContent()).toMatch(/"dimensions": \d+/);
    await page.getByRole('link', { name: new RegExp(`^document-default-`) }).click();
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'DocumentSubmitted' }).waitFor();
  });

  it('shows an operator that something was recorded, but not what', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'operator', roles: ['operator'] });
    const page = await openConsole(platform.url, key, '/events?type=DocumentIndexed');
    await page.getByRole('link', { name: 'DocumentIndexed' }).click();
    await seen(page, 'withheld: your key can see that this event exists');
    expect(await page.textContent('body')).not.toContain(documentId);
    expect(await page.getByLabel('The event’s data').count()).toBe(0);
  });

  it('is followed while things happen, each event once', async () => {
    const page = await openConsole(platform.url, platform.key, '/events?kb=default&type=DocumentIndexed');
    await page.getByRole('region', { name: 'Events' }).getByRole('link', { name: 'DocumentIndexed' }).waitFor();
    await page.getByRole('switch', { name: 'Follow live' }).check();
    await page.getByText('Live', { exact: true }).waitFor();
    for (const name of ['one', 'two']) await submitText(platform.client, { sourceId: `${name}.md`, text: `Number ${name}.` });
    await page.getByRole('region', { name: 'Events' }).getByRole('rowheader').nth(2).waitFor();
    expect(await types(page)).toEqual(['DocumentIndexed', 'DocumentIndexed', 'DocumentIndexed']);
  });

  it('says that an event is not there when it is not', async () => {
    const page = await openConsole(platform.url, platform.key, '/events/99999999');
    await seen(page, 'Event not found');
    await page.goto(`${platform.url}/events/none`);
    await page.getByRole('alert').waitFor();
  });
});
