import type { Page } from 'playwright-core';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { headingOf, openConsole, seen } from './browser.ts';

describe('the console without a mouse', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    await submitText(platform.client, { sourceId: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' });
  });

  const focused = (page: Page): Promise<string> =>
    page.evaluate('(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent ?? "").trim()');

  /** Tab until the focus is where it is wanted; a ring is to be seen there. */
  const tabTo = async (page: Page, name: string): Promise<void> => {
    for (let pressed = 0; pressed < 60; pressed++) {
      await page.keyboard.press('Tab');
      if ((await focused(page)) === name) {
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
        return;
      }
    }
    throw new Error(`the focus never came to “${name}”`);
  };

  it('can be walked through with the keyboard alone', async () => {
    const page = await openConsole(platform.url, platform.key, '/search');
    await seen(page, 'Ask a first question');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('query');
    await page.keyboard.type('warranty');
    await page.keyboard.press('Enter');
    await seen(page, '1 result in');
    await tabTo(page, 'Why this result, number 1');
    await page.keyboard.press('Space');
    await seen(page, 'By meaning (vectors)');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('Warranty');
    await page.keyboard.press('Enter');
    await seen(page, 'Indexed chunks');
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(await focused(page)).toBe('Cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Where one was before the question.
    expect(await focused(page)).toBe('Delete');
  });

  it('says with each new page where one is', async () => {
    const page = await openConsole(platform.url, platform.key, '/search');
    for (const name of [
      'Documents',
      'Knowledge bases',
      'Timeline',
      'Events',
      'Overview',
      'Models',
      'Swaps',
      'Golden queries',
      'Fleets',
      'Dead letters',
    ]) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect([await focused(page), await headingOf(page), await page.title()]).toEqual([name, name, `${name} · Palimpsest`]);
    }
    expect(await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="page"]').textContent()).toBe('Dead letters');
  });
});
