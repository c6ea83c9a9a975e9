import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen, titled } from './browser.ts';

const TEXTS = {
  'warranty.md': '# Warranty\n\nThe warranty of a kettle ends after two years. Keep the receipt.',
  'returns.md': '# Returns\n\nA kettle is taken back within thirty days, with its receipt.',
  'garden.md': '# Garden\n\nTomatoes want sun, and water in the morning.',
};

describe('searching in the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
    for (const [sourceId, text] of Object.entries(TEXTS))
      await submitText(platform.client, { sourceId, text, labels: { topic: sourceId === 'garden.md' ? 'garden' : 'shop' } });
  });

  const hits = (page: Awaited<ReturnType<typeof openConsole>>) => page.locator('.hits > li');

  it('shows hits with what matched marked and with their citation, at an address of their own', async () => {
    const page = await openConsole(platform.url, platform.key);
    await page.getByLabel('Question').fill('when does the warranty end?');
    await page.getByLabel('Question').press('Enter');
    const first = hits(page).first();
    await first.getByRole('link', { name: 'Warranty' }).waitFor();
    expect(await first.getByText('Warranty, Chunk 1 of 1').count()).toBe(1);
    expect((await first.locator('mark').allTextContents()).map((mark) => mark.toLowerCase())).toContain('warranty');
    expect(new URL(page.url()).searchParams.get('q')).toBe('when does the warranty end?');
    await first.getByRole('link', { name: 'Warranty' }).click();
    await seen(page, 'Indexed chunks');
    await page.goBack();
    await hits(page).first().waitFor();
    expect(await page.getByLabel('Question').inputValue()).toBe('when does the warranty end?');
  });

  it('says why a hit is where it is', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=warranty');
    await page.getByRole('button', { name: 'Why this result, number 1', exact: true }).click();
    const panel = hits(page).first().locator('.why');
    await panel.getByText(/rank 1, cosine similarity 0\.\d+/).waitFor();
    await panel.getByText(/^rank 1, score \d/).waitFor();
    await panel.getByText(/weighted sum of standard scores: \d\.\d+/).waitFor();
    await panel.getByText(/version 1, indexed/).waitFor();
    await page.getByRole('button', { name: 'Why this result, number 1', exact: true }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('narrows hits down by labels and knowledge bases, and says what is wrong with a filter', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=kettle%20tomatoes');
    await hits(page).nth(2).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Labels').fill('topic');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await seen(page, '“topic” is not a valid condition');
    await page.getByLabel('Labels').fill('topic=garden');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await hits(page).nth(1).waitFor({ state: 'detached' });
    expect(await hits(page).getByRole('heading').allTextContents()).toEqual(['Garden']);
    await page.getByLabel('Labels').fill('{"near":{"field":"label.topic"}}');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const problem = page.getByRole('alert');
    await problem.getByText('Invalid request').waitFor();
    expect(await problem.textContent()).toContain('Field filter');
  });

  it('limits and arranges the results on request, at an address of its own', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=kettle%20receipt');
    await hits(page).nth(1).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('Required words').fill('kettle, receipt');
    await page.getByLabel('Excluded words').fill('thirty');
    await page.getByLabel('Group by document').check();
    await page.getByLabel('Text around each result').selectOption('section');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await hits(page).nth(1).waitFor({ state: 'detached' });
    expect(await hits(page).getByRole('heading').allTextContents()).toEqual(['Warranty']);
    const { searchParams } = new URL(page.url());
    expect(['with', 'without', 'group', 'expand'].map((name) => searchParams.get(name))).toEqual([
      ...['kettle, receipt', 'thirty', 'document', 'section'],
    ]);
    // Opened at this address, the page shows what is in use.
    await page.reload();
    expect(await page.getByLabel('Excluded words').inputValue()).toBe('thirty');
    await page.getByLabel('Rewriting by a chat model').selectOption('queries');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const problem = page.getByRole('alert');
    await problem.getByText('Field rewrite').waitFor();
  });

  it('compares three strategies side by side', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=receipt');
    await page.getByRole('button', { name: 'Compare strategies' }).click();
    for (const name of [/^Dense/, /^Sparse/, /^Hybrid/]) await page.getByRole('region', { name }).getByRole('listitem').first().waitFor();
    // Tomatoes have no word in common with it: only by meaning is everything near something.
    const titles = async (name: RegExp): Promise<readonly string[]> =>
      page.getByRole('region', { name }).getByRole('link').allTextContents();
    expect((await titles(/^Sparse/)).toSorted()).toEqual(['Returns', 'Warranty']);
    expect(await titles(/^Dense/)).toContain('Garden');
    expect(new URL(page.url()).searchParams.get('view')).toBe('compare');
  });

  it('shows the context as a prompt gets it, within a budget, and that nothing fits', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=warranty+of+a+kettle&view=context');
    const context = page.getByLabel('The context', { exact: true });
    await context.waitFor();
    expect(await context.textContent()).toContain('[Doc Warranty, Chunk 1 of 1]');
    // The platform's own lines stand out from what is quoted, by a mark that no document knows.
    const [opening = ''] = await context.locator('.fence').allTextContents();
    expect(opening).toMatch(/^=== \d{18} \[Doc /);
    await seen(page, /Lines that contain \d{18} are written by the platform/);
    await page.getByLabel('Token budget').fill('100');
    await page.getByLabel('Token budget').press('Enter');
    await seen(page, /^\d+ of 100 tokens/);
    await page.getByLabel('Grounding').selectOption('StrictlyGrounded');
    expect(new URL(page.url()).searchParams.get('tokens')).toBe('100');
    await page.goto(`${platform.url}/search?q=zzzz&view=context&grounding=StrictlyGrounded`);
    await seen(page, 'instruct the model not to answer');
  });

  it('says what to do where nothing fits', async () => {
    const page = await openConsole(platform.url, platform.key, '/search?q=qqqq&strategy=SparseOnly');
    await seen(page, 'No results');
    await page.getByRole('link', { name: 'look at the documents' }).click();
    await titled(page, 'Documents');
  });

  it('leaves the strategy to the knowledge base, and says which one that was, unless one is chosen', async () => {
    await platform.client.knowledgeBases.create({ id: 'codes' });
    await submitText(platform.client, { knowledgeBase: 'codes', sourceId: 'codes.md', text: '# Codes\n\nE42 means that the lid is open.' });
    await platform.client.strategies.set('codes', 'SparseOnly', 'codes are found by their words');
    const page = await openConsole(platform.url, platform.key, '/search?q=E42&kb=codes');
    await hits(page).first().waitFor();
    const note = page.getByText('is the default strategy of the searched knowledge bases');
    expect(await note.textContent()).toMatch(/^SparseOnly /);
    const strategy = page.getByLabel('Strategy', { exact: true });
    expect(await strategy.locator('option:checked').textContent()).toBe('Default of the knowledge base');
    await strategy.selectOption('DenseSparseHybrid');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await note.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('strategy')).toBe('DenseSparseHybrid');
    await strategy.selectOption('');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await note.waitFor();
    expect(new URL(page.url()).searchParams.has('strategy')).toBe(false);
  });
});
