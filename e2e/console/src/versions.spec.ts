import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

const textOf = (days: number): string => `# Holidays\n\nThirty days a year.\n\nUp to ${days} days may be carried over.\n\nName a deputy.`;

describe('the versions of a document in the console', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: 'reds', scope: 'team:red' });
    for (const days of [5, 10, 12])
      ({ documentId } = await submitText(platform.client, { knowledgeBase: 'reds', sourceId: 'holidays.md', text: textOf(days) }));
  });

  type Opened = Awaited<ReturnType<typeof openConsole>>;
  const diff = (page: Opened) => page.getByLabel('Lines that differ');

  it('are compared, at first the last two, with signs and not by colour alone', async () => {
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}`);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Version 2 compared with version 3' }).waitFor();
    await diff(page).waitFor();
    expect(await diff(page).getByRole('deletion').allTextContents()).toEqual(['-Up to 10 days may be carried over.']);
    expect(await diff(page).getByRole('insertion').allTextContents()).toEqual(['+Up to 12 days may be carried over.']);
    await seen(page, /Chunks: \d added, \d removed, \d kept\./);
    await page.getByLabel('From version').selectOption('1');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Version 1 compared with version 3' }).waitFor();
    await diff(page).getByText('-Up to 5 days may be carried over.').waitFor();
    expect(new URL(page.url()).search).toBe('?from=1&to=3');
  });

  it('have a text each, also those that were replaced', async () => {
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}`);
    await page.getByRole('link', { name: 'Show the text of version 1' }).click();
    const text = page.getByRole('region', { name: 'Text of version 1' });
    await text.getByText('Up to 5 days may be carried over.').waitFor();
    expect(await text.getByText('Up to 12 days').count()).toBe(0);
    await page.goBack();
    await text.waitFor({ state: 'detached' });
  });

  it('are compared with later ones only, and those that do not exist are not shown', async () => {
    const page = await openConsole(platform.url, platform.key, `/documents/${documentId}`);
    await page.getByLabel('From version').selectOption('1');
    expect(await page.getByLabel('To version').locator('option').allTextContents()).toEqual(['3', '2']);
    await page.getByLabel('To version').selectOption('2');
    await page.getByLabel('From version').selectOption('2');
    expect(await page.getByLabel('To version').inputValue()).toBe('3');
    await page.goto(`${platform.url}/documents/${documentId}?version=9`);
    await page.getByRole('region', { name: 'Text of version 9' }).getByRole('alert').waitFor();
  });

  it('can be read when the document is deleted, from a moment before, and never by another team', async () => {
    const { position } = await platform.client.documents.remove(documentId);
    const path = `/documents/${documentId}?asOf=${Number(position) - 1}&from=1&to=3`;
    const page = await openConsole(platform.url, platform.key, path);
    await diff(page).getByText('+Up to 12 days may be carried over.').waitFor();
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', teams: ['blue'], roles: ['reader'] });
    const theirs = await openConsole(platform.url, key, path);
    await seen(theirs, 'Document not found');
    expect(await theirs.textContent('body')).not.toContain('carried over');
  });
});
