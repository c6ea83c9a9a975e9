import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Of WCAG 2.2 A and AA. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

type Violation = Readonly<{ id: string; help: string; nodes: readonly Readonly<{ html: string; failureSummary?: string }>[] }>;

/**
 * What axe-core finds on the page as it is now, by the rules of WCAG 2.2 AA and its best practices; a line each. `colours`: only
 * by those that look at them, for a page that was held to all others in other colours.
 */
export const violations = async (page: Page, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> => {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const options = { resultTypes: ['violations'], ...(rules === 'colours' ? { runOnly: { type: 'rule', values: OF_COLOURS } } : {}) };
  const { violations: found } = await page.evaluate<{ violations: readonly Violation[] }>(`axe.run(document, ${JSON.stringify(options)})`);
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`));
};
