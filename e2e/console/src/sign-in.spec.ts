import type { Request } from 'playwright-core';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { headingOf, openConsole, openWindow, seen, titled } from './browser.ts';

describe('the way into the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
  });

  const asked = (path: string, headers: Readonly<Record<string, string>>) => platform.ask(`GET ${path}`, { key: undefined, headers });
  const keyOf = async (...roles: string[]) => (await platform.client.operations.createApiKey({ name: 'test', roles })).key;

  it('is a page for browsers, and stays an answer in JSON for programs', async () => {
    const page = await asked('/', { accept: 'text/html,application/xhtml+xml' });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(
      Object.fromEntries(
        ['cache-control', 'x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy'].map((name) => [
          name,
          page.headers.get(name),
        ]),
      ),
    ).toEqual({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    for (const accept of ['application/json', '*/*'])
      expect((await asked('/', { accept })).json).toMatchObject({ name: 'palimpsest', openapi: '/openapi.json' });
  });

  it('has files that may be kept for ever, and compressed ones for those who take them', async () => {
    const { text } = await asked('/search', { accept: 'text/html' });
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(text) ?? [];
    const answer = await asked(script, { 'accept-encoding': 'br' });
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('content-encoding')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'br',
    ]);
    expect((await asked('/assets/palimpsest.svg', {})).headers.get('cache-control')).toBe('no-cache');
    expect((await asked('/assets/none.js', {})).json).toMatchObject({ code: 'NotFound', status: 404 });
    for (const outside of ['/assets/..%2findex.html', '/assets/%2e%2e/%2e%2e/package.json', '/assets/../../package.json'])
      expect((await asked(outside, {})).status).not.toBe(200);
  });

  it('weighs 300 kB at most, everything that the first page loads together', async () => {
    const { page } = await openWindow(platform.url);
    const finished: Request[] = [];
    // Only kept here and asked below: a request that ends as the window closes can no longer be asked for its size.
    page.on('requestfinished', (request) => void finished.push(request));
    await page.goto(`${platform.url}/overview#key=${platform.key}`);
    await titled(page, 'Overview');
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    const total = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    expect(total).toBeGreaterThan(30_000);
    expect(total).toBeLessThan(300_000);
  });

  it('takes the key over from the address, and shows it nowhere', async () => {
    const page = await openConsole(platform.url, platform.key, '/documents?status=failed');
    expect(page.url()).toBe(`${platform.url}/documents?status=failed`);
    await page.reload();
    await titled(page, 'Documents');
    expect(await page.evaluate('JSON.stringify(Object.values(localStorage)) + document.cookie')).not.toContain('plk_');
  });

  it('asks for a key when there is none, and says when one does not do', async () => {
    const { page } = await openWindow(platform.url);
    await page.goto(`${platform.url}/knowledge-bases`);
    const field = page.getByLabel('API key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Enter an API key');
    await field.fill('plk_not-a-key-of-this-installation');
    await field.press('Enter');
    await seen(page, 'This API key is not valid or was revoked.');
    await field.fill(platform.key);
    await field.press('Enter');
    await titled(page, 'Knowledge bases');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('closes at once when the key is revoked, with a line that says so', async () => {
    const { key, keyId } = await platform.client.operations.createApiKey({ name: 'soon gone', roles: ['reader'] });
    const page = await openConsole(platform.url, key);
    await seen(page, 'Nothing to search yet');
    await platform.client.operations.revokeApiKey(keyId);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await seen(page, 'This API key is not valid or was revoked.');
    expect(await headingOf(page)).toBe('Sign in');
  });

  it.each([
    [
      'reader',
      ['Search', 'Documents', 'Knowledge bases', 'Timeline', 'Events', 'Overview', 'Models', 'Swaps', 'Golden queries'],
      '/dead-letters',
    ],
    ['operator', ['Events', 'Overview', 'Models', 'Fleets', 'Erasure', 'Dead letters'], '/documents'],
  ] as const)('opens to a %s the pages that its role allows, and no others', async (role, pages, closed) => {
    const page = await openConsole(platform.url, await keyOf(role));
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()).toEqual([...pages]);
    expect(await headingOf(page)).toBe(pages[0]);
    await page.goto(`${platform.url}${closed}`);
    await titled(page, 'Page not found');
  });

  it('offers a reader nothing that only a writer may do', async () => {
    const page = await openConsole(platform.url, await keyOf('reader'), '/documents');
    await seen(page, 'Your key is read-only.');
    expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Knowledge bases' }).click();
    await titled(page, 'Knowledge bases');
    expect(await page.getByRole('button', { name: 'New knowledge base' }).count()).toBe(0);
  });

  it('reports when the server is not available, and continues automatically when it is', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    await page.route('**/v1/knowledge-bases', (route) => route.abort());
    await page.getByRole('link', { name: 'Knowledge bases' }).click();
    await page.getByRole('alert').getByText("Can't reach the server").waitFor();
    await page.unroute('**/v1/knowledge-bases');
    await seen(page, 'No knowledge base yet');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('follows the system’s colours, until others are chosen, which stay', async () => {
    const page = await openConsole(platform.url, platform.key, '/', { colorScheme: 'dark' });
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.getByLabel('Colours').selectOption('light');
    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(await ground()).toBe(light);
    await page.getByLabel('Colours').selectOption('system');
    expect(await ground()).toBe(dark);
  });
});
