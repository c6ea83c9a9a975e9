import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { openConsole, seen, titled } from './browser.ts';
import { drop } from './dropping.ts';

describe('knowledge bases in the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), (await EmbeddingStandIn.open()).settings());
  });

  it('are created in a dialog, which shows what the server refuses and the field', async () => {
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases');
    await seen(page, 'No knowledge base yet');
    await page.getByRole('button', { name: 'New knowledge base' }).click();
    const dialog = page.getByRole('dialog', { name: 'New knowledge base' });
    await dialog.getByLabel('Id').fill('Not Allowed');
    await dialog.getByRole('button', { name: 'Create' }).click();
    expect(await dialog.getByRole('alert').textContent()).toMatch(/Invalid request.*Field id: Must be /);
    await dialog.getByLabel('Id').fill('handbook');
    await dialog.getByLabel('Name').fill('The handbook of the red team');
    await dialog.getByLabel('Who may read it').selectOption('other');
    await dialog.getByLabel('Scope', { exact: true }).fill('team:red');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await titled(page, 'The handbook of the red team');
    expect(await platform.client.knowledgeBases.get('handbook')).toMatchObject({
      name: 'The handbook of the red team',
      scope: 'team:red',
      status: 'active',
    });
  });

  it('are configured, and an invalid number is reported with its field', async () => {
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/handbook');
    const prose = page.getByLabel('Prose: maximum characters per chunk');
    await prose.fill('10');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('Field chunking.markdown.maxChars');
    await prose.fill('900');
    await page.getByRole('button', { name: 'Save' }).click();
    await seen(page, 'Saved.');
    expect((await platform.client.knowledgeBases.get('handbook')).chunking).toMatchObject({ markdown: { maxChars: 900 } });
  });

  it('have synonyms, and a refused rule is named by its line', async () => {
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/handbook', { viewport: { width: 360, height: 800 } });
    const rules = page.getByLabel('Synonyms');
    await rules.fill('# sign-in\nsso, single sign-on\n\nk8s =>');
    await page.getByRole('button', { name: 'Save' }).click();
    await seen(page, /^Line 4 must be a rule such as/);
    expect(await page.getByRole('alert').textContent()).toContain('Field synonyms[1]');
    expect(await rules.getAttribute('aria-invalid')).toBe('true');
    await rules.fill('# sign-in\nsso, single sign-on\n\nk8s => kubernetes');
    await page.getByRole('button', { name: 'Save' }).click();
    await seen(page, 'Saved.');
    expect((await platform.client.knowledgeBases.get('handbook')).synonyms).toEqual(['sso, single sign-on', 'k8s => kubernetes']);
    await page.getByText('2 rules').click();
    await page.getByRole('listitem').getByText('k8s => kubernetes').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await rules.fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 rules').waitFor({ state: 'detached' });
    expect((await platform.client.knowledgeBases.get('handbook')).synonyms).toBeUndefined();
  });

  it('declare fields, row by row, and names that filters do not use are refused', async () => {
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/handbook', { viewport: { width: 360, height: 800 } });
    const declared = page.getByRole('group', { name: 'Declared fields' });
    const save = page.getByRole('button', { name: 'Save' });
    await declared.getByRole('button', { name: 'Add a field' }).click();
    // The new row has the focus.
    await page.keyboard.type('year');
    await declared.getByLabel('Type').selectOption('number');
    await save.click();
    await declared.getByText('Must be names like label.year or meta.created.').waitFor();
    await declared.getByLabel('Field', { exact: true }).fill('label.year');
    await declared.getByRole('button', { name: 'Add a field' }).click();
    await page.keyboard.type('label.year');
    await save.click();
    await declared.getByText('Declared twice: label.year.').waitFor();
    await declared.getByLabel('Field', { exact: true }).nth(1).fill('meta.tags');
    await declared.getByLabel('Type').nth(1).selectOption('keywords');
    await save.click();
    await seen(page, 'Saved.');
    expect((await platform.client.knowledgeBases.get('handbook')).fields).toEqual({ 'label.year': 'number', 'meta.tags': 'keywords' });
    await page.getByText('2 fields').click();
    await page.getByRole('listitem').getByText('meta.tags: keywords').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await declared.getByRole('button', { name: 'Remove the field label.year' }).click();
    await save.click();
    await seen(page, '1 field');
    expect((await platform.client.knowledgeBases.get('handbook')).fields).toEqual({ 'meta.tags': 'keywords' });
  });

  it('show their default strategy, and the way back to the common one asks first', async () => {
    await platform.client.strategies.set('handbook', 'SparseOnly', 'a pilot');
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/handbook', { viewport: { width: 360, height: 800 } });
    const region = page.getByRole('region', { name: 'Default strategy' });
    await region.getByText('SparseOnly', { exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await region.getByRole('button', { name: 'Use DenseSparseHybrid' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use it' }).click();
    await region.getByText('DenseSparseHybrid', { exact: true }).waitFor();
    expect((await platform.client.strategies.get('handbook')).default).toEqual({ strategy: 'DenseSparseHybrid' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await region.getByRole('button').count()).toBe(0);
  });

  it('that are paused refuse documents, with the reason, and take them again when they are resumed', async () => {
    await platform.client.knowledgeBases.create({ id: 'inbox' });
    const page = await openConsole(platform.url, platform.key, '/documents?kb=inbox');
    await page.getByLabel('Upload to').selectOption('inbox');
    // The page does not learn in time that it is paused.
    const { json } = await platform.ask('GET /v1/knowledge-bases');
    await page.route('**/v1/knowledge-bases', (route) => route.fulfill({ json }));
    await platform.client.knowledgeBases.pause('inbox');
    await drop(page, [{ name: 'late.md', text: '# Late\n\nToo late.' }]);
    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads.getByText('refused').waitFor();
    expect(await uploads.textContent()).toMatch(/paused/);
    await page.unroute('**/v1/knowledge-bases');
    await page.getByRole('link', { name: 'Knowledge bases' }).click();
    await page.getByRole('link', { name: 'inbox', exact: true }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // The upload is where it was, whatever page was shown in between.
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await uploads.getByRole('button', { name: /^Retry/ }).click();
    await uploads.getByText('indexed').waitFor();
  });

  it.each(['paused', 'archived'] as const)('that are %s and selected take no upload, and no other takes it instead', async (status) => {
    const id = `closed-${status}`;
    await platform.client.knowledgeBases.create({ id });
    await (status === 'paused' ? platform.client.knowledgeBases.pause(id) : platform.client.knowledgeBases.archive(id));
    const page = await openConsole(platform.url, platform.key, `/documents?kb=${id}`);
    await seen(page, `The knowledge base “${id}” is ${status} and accepts no documents.`);
    expect(await page.getByLabel('Upload to').inputValue()).toBe(id);
    expect(await page.getByRole('button', { name: 'Choose files' }).isDisabled()).toBe(true);
    await drop(page, [{ name: `${id}.md`, text: '# Nowhere' }]);
    // Where uploads are possible, one goes through: what was dropped before it would have been sent by then.
    await page.getByLabel('Upload to').selectOption('default');
    await drop(page, [{ name: `${id}-next.md`, text: '# Somewhere' }]);
    await page.getByRole('list', { name: 'Uploads' }).getByText('indexed').waitFor();
    expect(
      (await platform.client.documents.list({ source: id })).documents.map(({ sourceId, knowledgeBase }) => [sourceId, knowledgeBase]),
    ).toEqual([[`${id}-next.md`, 'default']]);
  });

  it('are paused by their button', async () => {
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/inbox');
    await page.getByRole('button', { name: 'Pause' }).click();
    await seen(page, 'New documents are refused');
    expect((await platform.client.knowledgeBases.get('inbox')).status).toBe('paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await platform.client.knowledgeBases.get('inbox')).status).toBe('active');
  });

  it('are archived for good, once that is confirmed', async () => {
    await platform.client.knowledgeBases.create({ id: 'old' });
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/old');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await seen(page, 'Accepts no more documents');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect((await platform.client.knowledgeBases.get('old')).status).toBe('archived');
  });

  it('are deleted with their documents, once that is confirmed, except the default one', async () => {
    await platform.client.knowledgeBases.create({ id: 'wrong' });
    await submitText(platform.client, { knowledgeBase: 'wrong', sourceId: 'a.md', text: 'A text in the wrong place.' });
    const page = await openConsole(platform.url, platform.key, '/knowledge-bases/wrong');
    await page.getByRole('button', { name: 'Delete' }).click();
    await seen(page, 'and 1 document are deleted');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await seen(page, 'Knowledge base not found');
    await submitText(platform.client, { sourceId: 'a.md', text: 'A text that names no knowledge base.' });
    const ofDefault = await openConsole(platform.url, platform.key, '/knowledge-bases/default');
    await ofDefault.getByRole('button', { name: 'Archive' }).waitFor();
    expect(await ofDefault.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });
});
