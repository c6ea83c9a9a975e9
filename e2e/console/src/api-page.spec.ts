import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openWindow, seen } from './browser.ts';

describe('the page to try the HTTP API on', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
  });

  it('is strict about what it loads, and needs no key to be looked at', async () => {
    for (const path of ['/docs', '/docs/', '/docs/swagger-ui.css', '/docs/start.js']) {
      const { status, headers } = await platform.ask(`GET ${path}`, { key: undefined });
      const policy = headers.get('content-security-policy') ?? '';
      expect({
        path,
        status,
        strict: policy.includes("default-src 'self'") && policy.includes("frame-ancestors 'none'") && !policy.includes('unsafe'),
      }).toEqual({ path, status: 200, strict: true });
    }
    for (const outside of ['/docs/package.json', '/docs/..%2fpackage.json', '/docs/swagger-ui-bundle.js.map'])
      expect((await platform.ask(`GET ${outside}`)).json).toMatchObject({ code: 'NotFound' });
  });

  it('lists every operation, accepts an API key without storing it, and shows the response of the server', async () => {
    const { page } = await openWindow(platform.url);
    await page.goto(`${platform.url}/docs`);
    await seen(page, 'Find the passages that match a query best, with their citations');
    const { paths } = (await platform.client.operations.openApi()) as { paths: Record<string, object> };
    expect(await page.locator('.opblock').count()).toBe(Object.values(paths).flatMap((item) => Object.keys(item)).length);

    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('.auth-container input').fill(platform.key);
    await page
      .locator('.auth-container')
      .getByRole('button', { name: /Apply credentials|Authorize/ })
      .click();
    await page.locator('.modal-ux').getByRole('button', { name: 'Close', exact: true }).last().click();

    const search = page.locator('.opblock').filter({ has: page.locator('[data-path="/v1/search"]') });
    await search.locator('.opblock-summary-control').click();
    // The example of the description is filled in already, and works.
    await search.getByRole('button', { name: 'Execute' }).click();
    const answer = search.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').textContent()).toContain('200');
    expect(await answer.textContent()).toContain('traceId');

    // The key that was just used is kept by the page alone: nothing is left when it is closed.
    const stored = await page.evaluate<string>(
      'JSON.stringify([...Object.values(localStorage), ...Object.values(sessionStorage), document.cookie])',
    );
    expect(stored).not.toContain('plk_');
  });
});
