import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { ErasureReceipt } from '@palimpsest/client';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { submitText } from '@palimpsest/e2e-support/submit';
import { violations } from './axe.ts';
import { openConsole, seen } from './browser.ts';

const ANN = 'ann@example.org';

/** Receipts are signed soon. */
const SETTINGS = { PALIMPSEST_PURGE_MINUTES: '0.05', PALIMPSEST_CHECKPOINT_SECONDS: '1' };

describe('erasure in the console', () => {
  let platform: PlatformUnderTest;
  const open = (key = platform.key) => openConsole(platform.url, key, '/erasure');
  const keyOf = async (teams: readonly string[], ...roles: string[]) =>
    (await platform.client.operations.createApiKey({ name: 'other', roles, teams: [...teams] })).key;
  const dialog = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const downloaded = async (page: Page, name: string | RegExp) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { name: file.suggestedFilename(), content: JSON.parse(await readFile(await file.path(), 'utf8')) as ErasureReceipt };
  };

  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...(await EmbeddingStandIn.open()).settings(), ...SETTINGS });
    const { client } = platform;
    for (const team of ['people', 'legal']) await client.knowledgeBases.create({ id: team, scope: `team:${team}` });
    await submitText(client, { knowledgeBase: 'people', sourceId: 'a.md', text: '# Salaries\n\nThey are secret.' });
    for (const knowledgeBase of ['default', 'legal'])
      await submitText(client, { knowledgeBase, subject: ANN, sourceId: 'ann.md', text: '# Ann\n\nA letter to Ann.' });
  });

  it('holds a scope with a reason, and releases it', async () => {
    const page = await open();
    await press(page, 'Hold team:people');
    await dialog(page).getByLabel('Reason').fill('case 17/2026');
    await dialog(page).getByRole('button', { name: 'Hold' }).click();
    await seen(page, 'case 17/2026');
    expect(await page.getByRole('button', { name: 'Erase team:people' }).count()).toBe(0);
    expect(await platform.client.erasures.get('team:people')).toMatchObject({ held: { reason: 'case 17/2026' } });
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Release team:people');
    await seen(page, 'team:people is released.');
    expect((await platform.client.erasures.get('team:people')).held).toBeUndefined();
  });

  it('shows in the server’s words that another administrator holds the scope', async () => {
    const page = await open();
    await press(page, 'Erase team:people');
    await platform.client.erasures.hold('team:people', 'case 18/2026');
    await dialog(page).getByLabel('Name of the scope').fill('team:people');
    await dialog(page).getByRole('button', { name: 'Erase' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByRole('alert').textContent()).toContain('held');
    await platform.client.erasures.release('team:people');
  });

  it('removes old history once the name of its scope is typed, says what will be gone, and shows what was removed', async () => {
    const { client } = platform;
    const [scope, rules] = ['team:rules', { knowledgeBase: 'rules', sourceId: 'holidays.md' }];
    await client.knowledgeBases.create({ id: 'rules', scope });
    await submitText(client, { ...rules, text: 'There are 29 days of holiday.' });
    const { position } = await client.search({ query: 'holiday', scopes: [scope] });
    await submitText(client, { ...rules, text: 'There are 30 days of holiday.' });
    const page = await open();
    await press(page, `Remove history of ${scope}`);
    const remove = dialog(page).getByRole('button', { name: 'Remove' });
    await seen(page, 'deleted more than 365 days ago are removed from the log');
    await seen(page, 'searches of earlier moments and replays of earlier searches');
    await dialog(page).getByLabel('Days of history that stay').fill('0');
    await seen(page, 'deleted until now are removed from the log');
    await dialog(page).getByLabel('Knowledge base').selectOption('rules');
    expect(await violations(page, 'all')).toEqual([]);
    expect(await remove.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Name of the scope').fill(scope);
    await client.erasures.hold(scope, 'case 20/2026');
    await remove.click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByRole('alert').textContent()).toContain('keeps its history: release it first');
    await client.erasures.release(scope);
    await remove.click();
    await seen(page, `Old history of ${scope} is being removed.`);
    await seen(page, 'records of 1 document and 1 file removed from rules.');
    await page.reload();
    await seen(page, 'records of 1 document and 1 file removed from rules.');
    expect(await violations(page, 'all')).toEqual([]);
    expect((await platform.ask('POST /v1/search', { json: { query: 'holiday', scopes: [scope], asOf: position } })).status).toBe(410);
    const { earliest } = await client.erasures.history(scope);
    await page.getByRole('link', { name: `position ${earliest}` }).click();
    await seen(page, 'Search as of this moment');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ scope, asOf: earliest });
  });

  it('shows a removal of history that is in progress, and that a hold stops it', async () => {
    const running = { keepDays: 30, upTo: '4711', startedAt: '2026-11-24T12:00:00.000Z' };
    const page = await open();
    await page.route(/team%3Apeople.history-removal$/, (route) =>
      route.fulfill({ json: { scope: 'team:people', earliest: '4711', running } }),
    );
    await page.reload();
    await seen(page, 'Up to position 4711, since');
    expect(await page.getByRole('button', { name: 'Remove history of team:people' }).isDisabled()).toBe(true);
    expect(await violations(page, 'all')).toEqual([]);
    await platform.client.erasures.hold('team:people', 'case 21/2026');
    await page.reload();
    await seen(page, 'Waits until the scope is released.');
    await platform.client.erasures.release('team:people');
  });

  it('erases a scope once its name is typed, and gives the receipt as a file, also after the page was loaded again', async () => {
    const page = await open();
    await press(page, 'Erase team:people');
    const erase = dialog(page).getByRole('button', { name: 'Erase' });
    await seen(page, 'This cannot be undone or stopped');
    expect(await violations(page, 'all')).toEqual([]);
    await dialog(page).getByLabel('Name of the scope').fill('team:peopl');
    expect(await erase.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Name of the scope').fill('team:people');
    await erase.click();
    await seen(page, 'The key of team:people is destroyed.');
    await page.reload();
    await seen(page, 'There is a signed receipt.');
    expect(await violations(page, 'all')).toEqual([]);
    const { name, content } = await downloaded(page, 'Download the receipt of team:people');
    expect(name).toBe('erasure-team-people.json');
    expect(content).toEqual(await platform.client.erasures.receipt('team:people'));
  });

  it('finds a person, is refused while one of their scopes is held, and erases them once their name is typed', async () => {
    await platform.client.erasures.hold('team:legal', 'case 19/2026');
    const page = await open();
    await page.getByLabel('Person', { exact: true }).fill('bob@example.org');
    await press(page, 'Find');
    await seen(page, 'No documents about bob@example.org.');
    await page.getByLabel('Person', { exact: true }).fill(ANN);
    await press(page, 'Find');
    await seen(page, `${ANN}: 2 documents with 2 passages in 2 scopes`);
    await press(page, 'Erase this person');
    const erase = dialog(page).getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Name of the person').fill(ANN);
    await erase.click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await dialog(page).getByRole('alert').textContent()).toContain('release it first');
    expect(await violations(page, 'all')).toEqual([]);
    await platform.client.erasures.release('team:legal');
    await erase.click();
    await seen(page, '2 documents erased.');
    await page.getByRole('region', { name: 'Persons' }).getByText('There is a signed receipt.').waitFor();
    expect(page.url()).not.toContain('ann');
    expect(await violations(page, 'all')).toEqual([]);
    const { content } = await downloaded(page, /^Download the receipt of [0-9a-f]{32}$/);
    expect(content).toEqual(await platform.client.erasures.receiptOfPerson(content.subject ?? ''));
    expect(JSON.stringify(content)).not.toContain(ANN);
  });

  it('pages through the erasures of persons', async () => {
    const { client } = platform;
    for (let n = 0; n < 21; n++) {
      const subject = `person-${n}@example.org`;
      await submitText(client, { subject, sourceId: `${n}.md`, text: `A letter to person ${n}.` });
      await client.erasures.startOfPerson(subject);
    }
    const page = await open();
    const persons = page.getByRole('region', { name: 'Persons' });
    const erasures = persons.getByRole('heading', { level: 3 });
    await persons.getByRole('button', { name: 'Show older erasures of persons' }).waitFor();
    expect(await erasures.count()).toBe(20);
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Show older erasures of persons');
    await erasures.nth(21).waitFor();
    expect(await erasures.count()).toBe(22);
    expect(await persons.getByRole('button', { name: 'Show older erasures of persons' }).count()).toBe(0);
  });

  it('erases a tenant for an operator once its name is typed, and gives the receipt as a file', async () => {
    const { client } = platform;
    const { key } = await client.operations.createApiKey({ name: 'mill', roles: ['admin'], teams: ['*'], tenant: 'paper-mill' });
    await submitText(platform.as(key), { sourceId: 'a.md', text: '# Paper\n\nWood becomes paper.' });
    const page = await open(await keyOf([], 'operator'));
    expect(await page.getByRole('heading', { name: 'Scopes' }).count()).toBe(0);
    await page.getByLabel('Tenant', { exact: true }).fill('paper-mill');
    await press(page, 'Show');
    await seen(page, 'It is not being erased.');
    await press(page, 'Erase this tenant');
    const erase = dialog(page).getByRole('button', { name: 'Erase' });
    await dialog(page).getByLabel('Name of the tenant').fill('paper');
    expect(await erase.isDisabled()).toBe(true);
    expect(await violations(page, 'all')).toEqual([]);
    await dialog(page).getByLabel('Name of the tenant').fill('paper-mill');
    await erase.click();
    await seen(page, 'There is a signed receipt.');
    expect(await violations(page, 'all')).toEqual([]);
    const { name, content } = await downloaded(page, 'Download the receipt of paper-mill');
    expect(name).toBe('erasure-paper-mill.json');
    expect(content).toEqual(await client.erasures.receiptOfTenant('paper-mill'));
    expect((await platform.ask('GET /v1/documents', { key })).status).toBe(401);
  });

  it('shows in the server’s words that a tenant cannot be erased', async () => {
    const page = await open(await keyOf([], 'operator'));
    await page.getByLabel('Tenant', { exact: true }).fill('default');
    await press(page, 'Show');
    await press(page, 'Erase this tenant');
    await dialog(page).getByLabel('Name of the tenant').fill('default');
    await dialog(page).getByRole('button', { name: 'Erase' }).click();
    await dialog(page).getByRole('alert').waitFor();
  });

  it('offers tenants to operators only', async () => {
    const page = await open(await keyOf(['*'], 'admin'));
    await page.getByRole('heading', { name: 'Persons' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Tenants' }).count()).toBe(0);
  });

  it('reports to an administrator without a key for all teams that a person needs one, and shows only their scopes', async () => {
    const page = await open(await keyOf(['legal'], 'admin'));
    await page.getByRole('heading', { name: 'team:legal' }).waitFor();
    expect(await page.getByRole('heading', { name: 'team:people' }).count()).toBe(0);
    await page.getByLabel('Person', { exact: true }).fill(ANN);
    await press(page, 'Find');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('all teams');
  });

  it('is not shown to writers', async () => {
    await seen(await open(await keyOf(['*'], 'reader', 'writer')), 'Page not found');
  });
});
