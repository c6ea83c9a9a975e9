import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type Violation = Readonly<{ id: string; help: string; nodes: readonly Readonly<{ html: string; failureSummary?: string }>[] }>;

/** What axe-core finds on the page as it is now, by the rules of WCAG 2.2 AA and its best practices; a line each. */
export const violations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations: found } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run(document, { resultTypes: ["violations"] })');
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html} ${failureSummary ?? ''}`));
};
