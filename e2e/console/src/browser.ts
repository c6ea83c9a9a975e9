import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchChromium } from '../../../tools/chromium/chromium.mjs';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

type Looks = Readonly<{
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  reducedMotion?: 'reduce' | 'no-preference';
}>;

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a file; each window has a profile of its own. */
const browser = (): Promise<Browser> => {
  launched ??= launchChromium().then((started) => {
    afterSuite(() => started.close());
    return started;
  });
  return launched;
};

/** A window of the console, and what went wrong in it behind the user's back. */
export type Window = Readonly<{ page: Page; context: BrowserContext; faults: readonly string[] }>;

/** How long anything may take to be seen: the machine may be busy. */
const PATIENCE_MS = 60_000;

/**
 * Requests that leave the server's origin, scripts that fail and what the Content-Security-Policy refuses are faults; that
 * there are none is checked after each test by `expectNoFaults`.
 */
export const openWindow = async (url: string, looks: Looks = {}): Promise<Window> => {
  const context = await (
    await browser()
  ).newContext({ colorScheme: 'light', viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...looks });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`asked ${request.url()}`);
  });
  page.on('pageerror', (error) => faults.push(`a script failed: ${error.message}`));
  page.on('console', (message) => {
    // The page shows what the server refuses, and the browser logs it as well.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  open.push({ page, context, faults });
  return { page, context, faults };
};

const open: Window[] = [];

afterEach(async () => {
  const windows = open.splice(0);
  await Promise.all(windows.map(({ context }) => context.close()));
  expect(windows.flatMap(({ faults }) => faults)).toEqual([]);
});

/** A window that is signed in, as the address that `npm start` prints does it. */
export const openConsole = async (url: string, key: string, path = '/', looks: Looks = {}): Promise<Page> => {
  const { page } = await openWindow(url, looks);
  await page.goto(`${url}${path}#key=${key}`);
  await shown(page, page.getByRole('navigation', { name: 'Pages' }));
  return page;
};

/** Waits until a text is to be seen. */
export const seen = (page: Page, text: string | RegExp): Promise<void> => shown(page, page.getByText(text).first());

/** Waits until a page has this heading. */
export const titled = (page: Page, name: string): Promise<void> => shown(page, page.getByRole('heading', { level: 1, name }));

/** Waits for the text. The error of a timeout contains the text of the page. */
const shown = async (page: Page, what: Locator): Promise<void> => {
  try {
    await what.waitFor();
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe page at ${page.url()} says: ${await page.locator('body').innerText()}`, {
      cause: error,
    });
  }
};

export const headingOf = async (page: Page): Promise<string | null> => page.getByRole('heading', { level: 1 }).textContent();
