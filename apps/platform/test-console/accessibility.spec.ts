import type { Page } from 'playwright-core';
import { EmbeddingStandIn } from '../test/embedding-stand-in.ts';
import { handIn } from '../test/hand-in.ts';
import { aDataFolder, PlatformUnderTest } from '../test/platform-under-test.ts';
import { violations } from './axe.ts';
import { headingOf, openConsole, openWindow, seen } from './browser.ts';

describe('the console for everybody', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  beforeAll(async () => {
    const standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_INGESTION_ATTEMPTS: '1' });
    ({ documentId } = await handIn(platform.client, { sourceId: 'warranty.md', text: '# Warranty\n\nIt ends after two years.', labels: { topic: 'shop' } }));
    standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
    await handIn(platform.client, { sourceId: 'ill-fated.md', text: 'An ill-fated text.' });
    await platform.client.search({ query: 'warranty' });
  });

  const PAGES: readonly (readonly [path: string, told: string | RegExp])[] = [
    ['/search', 'Ask a first question'],
    ['/search?q=warranty&filter=topic%3Dshop', '1 hit in'],
    ['/search?q=warranty&view=compare', /^Dense: \d|only here/],
    ['/search?q=warranty&view=context', 'As the prompt gets it'],
    ['/search?q=x&filter=%7B%22near%22%3A1%7D', 'The request is not valid'],
    ['/documents', 'Warranty'],
    ['/documents?status=pending', 'No document is like that'],
    ['/documents/DOCUMENT', 'It ends after two years.'],
    ['/knowledge-bases', 'default'],
    ['/knowledge-bases?new', 'How texts are cut'],
    ['/knowledge-bases/default', 'Configure'],
    ['/events', 'KnowledgeRetrieved'],
    ['/events?type=NoSuchType', 'The request is not valid'],
    ['/events/1', 'What it says'],
    ['/overview', 'As a table'],
    ['/dead-letters', '1 dead letter'],
    ['/search/nowhere', 'No such page'],
  ];

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it('has no violation that axe knows of on any page', async () => {
      const page = await openConsole(platform.url, platform.key, '/search', { colorScheme });
      const found: Record<string, readonly string[]> = {};
      for (const [path, told] of PAGES) {
        await page.goto(`${platform.url}${path.replace('DOCUMENT', documentId)}`);
        await seen(page, told);
        found[path] = await violations(page);
      }
      expect(found).toEqual(Object.fromEntries(PAGES.map(([path]) => [path, []])));
    });

    it('has none on the sign-in and in a narrow window', async () => {
      const { page } = await openWindow(platform.url, { colorScheme });
      await page.goto(platform.url);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await seen(page, 'Enter an API key');
      expect(await violations(page)).toEqual([]);
      const narrow = await openConsole(platform.url, platform.key, '/documents', { colorScheme, viewport: { width: 360, height: 700 } });
      await seen(narrow, 'Warranty');
      expect(await violations(narrow)).toEqual([]);
      expect(await narrow.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    it('has none with a hit explained, and in a question that asks for a confirmation', async () => {
      const page = await openConsole(platform.url, platform.key, '/search?q=warranty', { colorScheme });
      await page.getByRole('button', { name: /^Why this hit/ }).first().click();
      await seen(page, 'By meaning (vectors)');
      expect(await violations(page)).toEqual([]);
      await page.goto(`${platform.url}/documents/${documentId}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violations(page)).toEqual([]);
    });
  });

  const focused = (page: Page): Promise<string> => page.evaluate('(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent ?? "").trim()');

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
    await seen(page, '1 hit in');
    await tabTo(page, 'Why this hit, number 1');
    await page.keyboard.press('Space');
    await seen(page, 'By meaning (vectors)');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('Warranty');
    await page.keyboard.press('Enter');
    await seen(page, 'Chunks as they were cut');
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
    for (const name of ['Documents', 'Knowledge bases', 'Events', 'Overview', 'Dead letters']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect([await focused(page), await headingOf(page), await page.title()]).toEqual([name, name, `${name} · Palimpsest`]);
    }
    expect(await page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="page"]').textContent()).toBe('Dead letters');
  });
});
