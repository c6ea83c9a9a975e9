import type { Page } from 'playwright-core';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { violations } from './axe.ts';
import { openConsole, seen } from './browser.ts';

/** As entered in the browser, and as sent. */
const NOON = '2020-01-01T12:00:00';
const NOON_SENT = new Date(NOON).toISOString();
const LATER = '2100-01-01T12:00:00';

const SECOND = 'openai:second/64';

describe('swaps in the console', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let release: () => void;
  const statusOf = async (generation: string) =>
    (await platform.client.swaps.get('deployment')).generations.find(({ generation: id }) => id === generation)?.status;
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name: `${name} of deployment` }).click();
  const confirm = (page: Page, name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  const time = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name, { exact: true });

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await platform.client.models.add({
      openai: { baseUrl: standIn.settings()['PALIMPSEST_OPENAI_BASE_URL'] ?? '', model: 'second', dimensions: 64 },
    });
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    await submitText(platform.client, { sourceId: 'warranty.md', text: '# Warranty\n\nIt ends after two years.' });
  });

  it('go from the start over a pause to the cut-over, back, and to the retirement', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    release = resolve;
    standIn.beforeAnswer = (texts) => (texts.some((text) => text.includes('two years')) ? promise : Promise.resolve());
    const page = await openConsole(platform.url, platform.key, '/swaps');
    await press(page, 'Change model or chunks');
    await page.getByLabel('New model').selectOption(SECOND);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await seen(page, `deployment is being moved to ${SECOND}`);
    await seen(page, 'The new one is being embedded');
    await press(page, 'Pause');
    await seen(page, 'Nothing is embedded until the swap is resumed');
    await seen(page, 'paused by an administrator (by a person');
    release();
    await press(page, 'Resume');
    await seen(page, 'Searches use it after the cut-over');
    await press(page, 'Evaluate');
    await seen(page, 'or, without a time, the newest.');
    await time(page, 'After').fill(LATER);
    await time(page, 'Before').fill(NOON);
    await seen(page, '“After” must be earlier than “Before”.');
    await confirm(page, 'Evaluate');
    expect(await violations(page, 'all')).toEqual([]);
    expect((await platform.client.swaps.get('deployment')).evaluationRun).toBeUndefined();
    await time(page, 'After').fill(NOON);
    await time(page, 'Before').fill('');
    await confirm(page, 'Evaluate');
    await seen(page, 'deployment is being evaluated');
    await seen(page, 'undecided');
    // The scope has too few queries for score floors.
    const scoreFloors = { basis: 'people', queries: 212, floors: [{ before: 0.6, after: 0.483, share: 0.0105, results: 21 }] };
    await page.route('**/swap/evaluation', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), scoreFloors } });
    });
    await page.getByText('Evidence').click();
    await seen(page, 'passages of the scope');
    await seen(page, 'after 1 Jan 2020, 12:00:00; 0 asked again');
    await seen(page, 'by 212 queries of people');
    const floors = page.getByRole('region', { name: 'Table of score floors of deployment' });
    expect(await floors.getByRole('row', { name: '0.60' }).allTextContents()).toEqual(['0.600.4831.1 %rough']);
    await press(page, 'Start a canary');
    await page.getByLabel('Percent of the callers').fill('20');
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
    await seen(page, 'g2 serves 20 % of the callers, g1 the others');
    await platform.client.search({ query: 'how long is the warranty?' });
    await seen(page, 'Without a result');
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Stop the canary');
    await seen(page, 'until it ended: stopped by a person');
    await press(page, 'Cut over');
    await confirm(page, 'Cut over');
    await seen(page, 'deployment is searched with the new generation');
    expect(await statusOf('g2')).toBe('active');
    await press(page, 'Roll back');
    await confirm(page, 'Roll back');
    await seen(page, 'deployment is searched with the previous generation');
    expect(await statusOf('g1')).toBe('active');
    await press(page, 'Cut over');
    await confirm(page, 'Cut over');
    await press(page, 'Retire the standby');
    await confirm(page, 'Retire the standby');
    await seen(page, 'deployment has freed its standby generation');
    await seen(page, 'of disk are free');
    expect(await statusOf('g1')).toBe('retired');
  });

  it('need a reason for a cut-over that the evaluation advises against', async () => {
    for (const word of ['salt', 'goats', 'harbour']) await submitText(platform.client, { sourceId: `${word}.md`, text: `About ${word}.` });
    standIn.mixesUp = true;
    const page = await openConsole(platform.url, platform.key, '/swaps');
    await press(page, 'Change model or chunks');
    await page.getByLabel('New model').selectOption('openai:stand-in/64');
    expect(await time(page, 'After').count()).toBe(0);
    await page.getByLabel('Cut-over').selectOption('gate');
    const plan = page.getByRole('dialog').getByRole('button', { name: 'Plan', exact: true });
    expect(await plan.isEnabled()).toBe(true);
    await time(page, 'After').fill(NOON);
    await time(page, 'Before').fill(LATER);
    expect(await plan.isDisabled()).toBe(true);
    expect(await violations(page, 'all')).toEqual([]);
    await confirm(page, 'Start');
    await seen(page, 'have another vector than the model returns');
    await seen(page, 'after 1 Jan 2020, 12:00:00; before 1 Jan 2100, 12:00:00');
    expect((await platform.client.swaps.get('deployment')).swap).toMatchObject({
      cutover: 'gate',
      pastQueries: { after: NOON_SENT, before: new Date(LATER).toISOString() },
    });
    await press(page, 'Evaluate');
    await seen(page, 'those that the swap names (after 1 Jan 2020, 12:00:00; before 1 Jan 2100, 12:00:00)');
    await confirm(page, 'Cancel');
    standIn.mixesUp = false;
    await press(page, 'Cut over');
    await page.getByLabel('Reason').fill('the old endpoint is switched off');
    await confirm(page, 'Cut over');
    await seen(page, 'deployment is searched with the new generation');
    const { entries } = await platform.client.operations.audit({ limit: 20 });
    expect(entries.map(({ forcedBecause }) => forcedBecause)).toContain('the old endpoint is switched off');
    await platform.client.swaps.rollBack('deployment');
    await platform.client.swaps.retire('deployment');
  });

  it('report in the server’s words what someone else did first', async () => {
    await platform.client.swaps.start('deployment', { embeddingVersion: 'openai:stand-in/64', cutover: 'manual' });
    const page = await openConsole(platform.url, platform.key, '/swaps');
    await page.getByRole('button', { name: 'Cancel the swap of deployment' }).waitFor();
    const shown = await platform.client.swaps.get('deployment');
    await page.route('**/v1/swaps', (route) => route.fulfill({ json: { swaps: [{ ...shown, state: 'building' }] } }));
    await platform.client.swaps.cancel('deployment');
    await press(page, 'Cancel the swap');
    await confirm(page, 'Cancel the swap');
    await page.getByRole('dialog').getByRole('alert').waitFor();
  });

  it('are planned, and started by the plan once another person approved it', async () => {
    const page = await openConsole(platform.url, platform.key, '/swaps');
    await press(page, 'Change model or chunks');
    await page.getByLabel('New model').selectOption('openai:stand-in/64');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await seen(page, 'The swap of deployment is planned');
    await seen(page, 'not approved');
    await seen(page, 'unknown: the model has no price');
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Approve the plan');
    await seen(page, 'another person has to approve it');
    const { key } = await platform.client.operations.createApiKey({ name: 'bob', roles: ['admin'] });
    const bob = await openConsole(platform.url, key, '/swaps');
    await press(bob, 'Approve the plan');
    await seen(bob, 'is approved');
    await press(page, 'Start the plan');
    await seen(page, 'deployment is being moved to openai:stand-in/64');
    expect(await platform.client.swaps.latestPlan('deployment')).toMatchObject({ started: expect.stringMatching(/^g/) });
    await press(page, 'Cancel the swap');
    await confirm(page, 'Cancel the swap');
    await seen(page, 'deployment keeps its model');
  });

  it('change the chunks and keep the model', async () => {
    const { generations } = await platform.client.swaps.get('deployment');
    const active = generations.find(({ status }) => status === 'active')?.embeddingVersion ?? '';
    const page = await openConsole(platform.url, platform.key, '/swaps');
    await press(page, 'Change model or chunks');
    await page.getByLabel('New model').selectOption(active);
    const start = page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true });
    expect(await start.isDisabled()).toBe(true);
    await page.getByLabel('Chunks', { exact: true }).selectOption('settings');
    await page.getByLabel('Prose: maximum characters per chunk').fill('nothing');
    await start.click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Prose: maximum characters per chunk').fill('300');
    expect(await violations(page, 'all')).toEqual([]);
    await start.click();
    await seen(page, 'deployment is being moved to other chunks');
    await seen(page, 'Prose: maximum characters per chunk: 300');
    await seen(page, 'Searches use it after the cut-over');
    await press(page, 'Cancel the swap');
    await confirm(page, 'Cancel the swap');
    await seen(page, 'deployment keeps its model');
  });

  it('are shown to readers without buttons, and another tenant sees none', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'], teams: ['*'] });
    const page = await openConsole(platform.url, key, '/swaps');
    await seen(page, SECOND);
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
    const theirs = await platform.client.operations.createApiKey({ name: 'theirs', tenant: 'other', teams: ['*'], roles: ['admin'] });
    const other = await openConsole(platform.url, theirs.key, '/swaps');
    await seen(other, 'No scope with documents yet');
    expect(await other.locator('main').textContent()).not.toContain('second');
  });
});
