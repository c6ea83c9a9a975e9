import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { eventually } from '@palimpsest/test-kit';
import { violations } from './axe.ts';
import { openConsole, seen, titled } from './browser.ts';

const TEXTS = {
  'warranty.md': '# Warranty\n\nThe warranty of a kettle ends after two years. Keep the receipt.',
  'returns.md': '# Returns\n\nA kettle is taken back within thirty days, with its receipt.',
};
const QUERY = 'how long is the warranty?';
const FAQ = { scope: 'deployment', set: 'faq' };
const SET_PAGE = '/golden-queries/sets/deployment/faq';
const JUDGE_PAGE = `/golden-queries/judge?q=${encodeURIComponent(QUERY)}&set=faq`;

describe('golden queries in the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    for (const [sourceId, text] of Object.entries(TEXTS)) await submitText(platform.client, { sourceId, text });
    await platform.client.knowledgeBases.create({ id: 'shop', scope: 'team:red' });
    await submitText(platform.client, { knowledgeBase: 'shop', sourceId: 'secret.md', text: '# Secret\n\nOf the red team.' });
  });

  const judge = (page: Page, grade: string, title: string) => page.getByRole('button', { name: `${grade} for ${title}`, exact: true });
  const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();
  /** The judgements of the set by query: what an evaluation reads. */
  const judgements = async (): Promise<Record<string, Record<string, number>>> => {
    const { items } = await platform.client.golden.get(FAQ);
    return Object.fromEntries(
      items.map(({ text, judgements: all }) => [text, Object.fromEntries(all.map(({ source, grade }) => [source, grade]))]),
    );
  };

  it('are created from the results of a search', async () => {
    const page = await openConsole(platform.url, platform.key, '/golden-queries');
    await seen(page, 'No golden queries yet');
    await page.goto(`${platform.url}/search?q=${encodeURIComponent(QUERY)}`);
    await page.getByRole('link', { name: 'Judge these results' }).click();
    await titled(page, 'Judge a query');
    expect(await page.getByLabel('Query').inputValue()).toBe(QUERY);
    await judge(page, 'Relevant', 'Warranty').click();
    await judge(page, 'Somewhat relevant', 'Returns').click();
    expect(await judge(page, 'Somewhat relevant', 'Returns').getAttribute('aria-pressed')).toBe('true');
    await judge(page, 'Not relevant', 'Returns').click();
    expect(await judge(page, 'Somewhat relevant', 'Returns').getAttribute('aria-pressed')).toBe('false');
    // The digits give grades from the keyboard, and take them back.
    await judge(page, 'Not relevant', 'Returns').press('3');
    expect(await judge(page, 'Exact answer', 'Returns').getAttribute('aria-pressed')).toBe('true');
    await judge(page, 'Not relevant', 'Returns').press('3');
    expect(await judge(page, 'Exact answer', 'Returns').getAttribute('aria-pressed')).toBe('false');
    await judge(page, 'Exact answer', 'Returns').press('0');
    await page.getByLabel('Golden set').fill('No Name');
    await save(page);
    await page.getByRole('alert').getByText('Invalid request').waitFor();
    await page.getByLabel('Golden set').fill('faq');
    await save(page);
    await seen(page, 'Saved as version 1 of');
    expect(await violations(page, 'all')).toEqual([]);
    expect(await judgements()).toEqual({ [QUERY]: { 'warranty.md': 2, 'returns.md': 0 } });
  });

  it('are listed with who changed them, and shown with titles and grades', async () => {
    const page = await openConsole(platform.url, platform.key, '/golden-queries');
    const row = page.getByRole('region', { name: 'Golden sets of deployment' }).getByRole('row', { name: /^faq/ });
    await row.getByText('by key:').waitFor();
    expect((await row.getByRole('cell').allTextContents()).slice(0, 4)).toEqual(['1', '1', '0', '2']);
    await row.getByRole('link', { name: 'faq' }).click();
    await titled(page, 'Golden set faq');
    await page.getByText('2 judgements', { exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'Warranty warranty.md: relevant, grade 2' }).last().waitFor();
    await seen(page, 'Latest changes');
    expect(await violations(page, 'all')).toEqual([]);
  });

  it('get the judgement of a document that the search did not find, in a new version', async () => {
    await submitText(platform.client, { sourceId: 'law.md', text: '# Consumer law\n\nzzzz' });
    const page = await openConsole(platform.url, platform.key, SET_PAGE);
    await page.getByRole('link', { name: `Change the judgements of “${QUERY}”` }).click();
    await judge(page, 'Relevant', 'Warranty').and(page.locator('[aria-pressed="true"]')).waitFor();
    // A small corpus is found as a whole: this search leaves it out.
    await page.route('**/v1/search', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { hits: { source: string }[] };
      await route.fulfill({ response, json: { ...body, hits: body.hits.filter(({ source }) => source !== 'law.md') } });
    });
    await page.reload();
    await judge(page, 'Relevant', 'Warranty').and(page.locator('[aria-pressed="true"]')).waitFor();
    expect(await judge(page, 'Somewhat relevant', 'Consumer law').count()).toBe(0);
    await page.getByLabel('Find a document').fill('consumer');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await judge(page, 'Somewhat relevant', 'Consumer law').click();
    await judge(page, 'Not relevant', 'Returns').click();
    await save(page);
    await seen(page, 'Saved as version 2 of');
    expect(await judgements()).toEqual({ [QUERY]: { 'warranty.md': 2, 'law.md': 1 } });
  });

  it('keep what another user saved in the meantime', async () => {
    const page = await openConsole(platform.url, platform.key, JUDGE_PAGE);
    await seen(page, 'version 2, 1 query. This query is in the set');
    const theirs = { id: 'theirs', text: 'who pays?', judgements: [{ source: 'returns.md', knowledgeBase: 'default', grade: 1 }] };
    const { items } = await platform.client.golden.get(FAQ);
    const mine = items.map(({ id, text, judgements: all }) => ({
      id,
      text,
      judgements: all.map(({ documentId, grade }) => ({ documentId, grade })),
    }));
    await platform.client.golden.import(FAQ, [...mine, theirs], { expectedVersion: 2 });
    await judge(page, 'Somewhat relevant', 'Returns').click();
    await save(page);
    await seen(page, 'Another user changed “faq” in the meantime');
    expect(Object.keys(await judgements())).toContain('who pays?');
    expect((await judgements())[QUERY]).toEqual({ 'warranty.md': 2, 'law.md': 1 });
    await seen(page, 'version 3, 2 queries');
    expect(await judge(page, 'Somewhat relevant', 'Returns').getAttribute('aria-pressed')).toBe('true');
    await save(page);
    await seen(page, 'Saved as version 4 of');
    expect(await judgements()).toEqual({
      [QUERY]: { 'warranty.md': 2, 'law.md': 1, 'returns.md': 1 },
      'who pays?': { 'returns.md': 1 },
    });
  });

  it('note documents that do not exist, lose queries, and are removed with the last one', async () => {
    const law = (await platform.client.documents.list({ source: 'law.md' })).documents[0];
    await platform.client.documents.remove(law?.documentId ?? '');
    // The deletion may be processed by another service than the list.
    await eventually('the document is missing', async () =>
      (await platform.client.golden.list('deployment'))[0]?.missing === 1 ? true : undefined,
    );
    const page = await openConsole(platform.url, platform.key, SET_PAGE);
    await seen(page, '1 judgement of documents that do not exist now');
    await page.getByText('3 judgements, 1 of missing documents').click();
    await seen(page, 'law.md (does not exist now)');
    await page.getByRole('button', { name: 'Remove “who pays?”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the query' }).click();
    await seen(page, 'Saved as version 5');
    expect(Object.keys(await judgements())).toEqual([QUERY]);
    await page.getByRole('button', { name: `Remove “${QUERY}”` }).click();
    await seen(page, 'It is the only query of “faq”');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the query' }).click();
    await seen(page, 'No golden queries yet');
    expect(await platform.client.golden.list('deployment')).toEqual([]);
  });

  describe('in a file', () => {
    const choose = async (page: Page, name: string, text: string): Promise<void> =>
      page.getByLabel('Files').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    const dialogOf = async (): Promise<Page> => {
      const page = await openConsole(platform.url, platform.key, '/golden-queries');
      await page.getByRole('button', { name: 'Import a file' }).click();
      await page.getByRole('dialog').getByLabel('Golden set').fill('faq');
      return page;
    };
    const submit = (page: Page): Promise<void> => page.getByRole('button', { name: 'Import', exact: true }).click();

    it('are refused with the line and the field, whether the page or the server finds it', async () => {
      const page = await dialogOf();
      await choose(page, 'faq.csv', `query,source,grade\n${QUERY},warranty.md,high\n`);
      await page.getByRole('alert').getByText('faq.csv line 2, field grade: must be a whole number from 0 to 1000.').waitFor();
      expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
      expect(await violations(page, 'all')).toEqual([]);
      await choose(page, 'faq.csv', `query,source,grade,knowledgeBase\n${QUERY},warranty.md,2,default\n${QUERY},returns.md,1,nowhere\n`);
      await submit(page);
      await page
        .getByRole('alert')
        .getByText(/^faq\.csv line 3, field knowledgeBase: must be a knowledge base of the scope/)
        .waitFor();
      await choose(page, 'faq.jsonl', '\n{"id": "a b", "text": "who?", "judgements": [{"source": "a.md", "grade": 1}]}\n');
      await submit(page);
      await page
        .getByRole('alert')
        .getByText(/^faq\.jsonl line 2, field id: must be/)
        .waitFor();
      expect(await platform.client.golden.list('deployment')).toEqual([]);
    });

    it('are imported, and replace the set', async () => {
      const page = await dialogOf();
      await choose(page, 'faq.csv', `query,source,grade\n${QUERY},warranty.md,2\n${QUERY},gone.md,1\n"who, then?",returns.md,1\n`);
      await seen(page, '2 queries in the file.');
      await submit(page);
      await seen(page, 'faq has version 6: 2 queries.');
      expect(await judgements()).toEqual({ [QUERY]: { 'warranty.md': 2, 'gone.md': 1 }, 'who, then?': { 'returns.md': 1 } });
      await seen(page, '1 of missing documents');
    });

    it("are imported from files in BEIR's layout that are chosen together, with all grades", async () => {
      const page = await dialogOf();
      await page.getByRole('dialog').getByLabel('Golden set').fill('beir');
      const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
      const queries = textFile('queries.jsonl', `{"_id":"q1","text":"${QUERY}"}\n{"_id":"q2","text":"who knows?"}\n`);
      await page.getByLabel('Files').setInputFiles([queries]);
      await page.getByRole('alert').getByText('queries.jsonl: expected the .tsv files of its judgements').waitFor();
      await page.getByLabel('Files').setInputFiles([textFile('test.tsv', 'query-id\tcorpus-id\tscore\nq1\twarranty.md\tfour\n'), queries]);
      await page.getByRole('alert').getByText('test.tsv line 2, field score: must be a whole number from 0 to 1000.').waitFor();
      const rows = 'query-id\tcorpus-id\tscore\nq1\twarranty.md\t3\nq1\treturns.md\t1\n';
      await page.getByLabel('Files').setInputFiles([{ ...textFile('test.tsv.gz', ''), buffer: gzipSync(rows) }, queries]);
      await seen(page, '1 query in the files. 1 query without a judgement left out.');
      await submit(page);
      await seen(page, 'beir has version 1: 1 query.');
      const { items } = await platform.client.golden.get({ scope: 'deployment', set: 'beir' });
      expect(Object.fromEntries(items[0]?.judgements.map(({ source, grade }) => [source, grade]) ?? [])).toEqual({
        'warranty.md': 3,
        'returns.md': 1,
      });
      await platform.client.golden.remove({ scope: 'deployment', set: 'beir' });
    });
  });

  it('are shown to readers without actions', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] });
    const page = await openConsole(platform.url, key, SET_PAGE);
    await seen(page, 'who, then?');
    const main = page.locator('main');
    expect(await main.getByRole('button').count()).toBe(0);
    expect(await main.getByRole('link', { name: /Change|Add/ }).count()).toBe(0);
    await page.goto(`${platform.url}/golden-queries`);
    await main.getByRole('link', { name: 'faq' }).waitFor();
    expect(await main.getByRole('link').allTextContents()).toEqual(['faq']);
    expect(await main.getByRole('button').count()).toBe(0);
    await page.goto(`${platform.url}${JUDGE_PAGE}`);
    await seen(page, 'Only administrators change golden queries');
    await page.goto(`${platform.url}/search?q=warranty`);
    await main.locator('.hits > li').first().waitFor();
    expect(await main.getByRole('link', { name: 'Judge these results' }).count()).toBe(0);
  });

  it('of another team are not shown', async () => {
    const secret = { scope: 'team:red', set: 'theirs' };
    await platform.client.golden.import(secret, [{ id: 'a', text: 'the plan', judgements: [{ source: 'secret.md', grade: 1 }] }]);
    const { key } = await platform.client.operations.createApiKey({ name: 'blue', roles: ['admin'], teams: ['blue'] });
    const page = await openConsole(platform.url, key, '/golden-queries');
    await page.getByRole('link', { name: 'faq' }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('theirs');
    await page.goto(`${platform.url}/golden-queries/sets/team%3Ared/theirs`);
    await seen(page, 'Golden set not found');
    expect(await page.locator('main').textContent()).not.toContain('the plan');
  });
});
