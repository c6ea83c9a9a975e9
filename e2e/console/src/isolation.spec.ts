import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

const SECRET = 'zephyr';

describe('another tenant’s key in the console', () => {
  let platform: PlatformUnderTest;
  let theirs: string;
  let documentId: string;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await platform.client.knowledgeBases.create({ id: `${SECRET}-base` });
    ({ documentId } = await submitText(platform.client, {
      knowledgeBase: `${SECRET}-base`,
      sourceId: `${SECRET}.md`,
      text: `# The ${SECRET} plan\n\nThe ${SECRET} is ours.`,
    }));
    theirs = (await platform.client.operations.createApiKey({ name: 'theirs', tenant: 'other', teams: ['*'], roles: ['admin'] })).key;
  });

  it.each([
    ['/search', 'Nothing to search yet'],
    [`/search?q=${SECRET}`, 'No results'],
    ['/documents', 'No documents yet'],
    ['/knowledge-bases', 'No knowledge base yet'],
    [`/knowledge-bases/${SECRET}-base`, 'Knowledge base not found'],
  ])('sees nothing of the first at %s', async (path, text) => {
    const page = await openConsole(platform.url, theirs, path);
    await seen(page, text);
    expect(await page.locator('main').textContent()).not.toContain(`The ${SECRET}`);
  });

  it('finds no document by its address', async () => {
    const page = await openConsole(platform.url, theirs, `/documents/${documentId}`);
    await seen(page, 'Document not found');
    expect(await page.textContent('body')).not.toContain(SECRET);
  });

  it('leaves nothing behind in a window for the key that comes after it', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents');
    await seen(page, `The ${SECRET} plan`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(theirs);
    await page.getByLabel('API key').press('Enter');
    await seen(page, 'No documents yet');
    expect(await page.textContent('body')).not.toContain(SECRET);
  });
});
