import type { Page } from 'playwright-core';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { violations } from './axe.ts';
import { openConsole, seen } from './browser.ts';

const SECOND = 'openai:second/64';

describe('fleets in the console', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name: new RegExp(`^${name} of fleet`) }).click();
  const confirm = (page: Page, name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const newest = async () => (await platform.client.fleets.list())[0];

  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
    await platform.client.models.add({
      openai: { baseUrl: standIn.settings()['PALIMPSEST_OPENAI_BASE_URL'] ?? '', model: 'second', dimensions: 64 },
    });
    for (const team of ['red', 'blue']) {
      await platform.client.knowledgeBases.create({ id: team, scope: `team:${team}` });
      await submitText(platform.client, {
        knowledgeBase: team,
        sourceId: 'a.md',
        text: `# Warranty\n\nThat of ${team} ends after two years.`,
      });
    }
  });

  it('go from the start over a pause, a wave and a stop to the rollback', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    standIn.beforeAnswer = (texts) => (texts.some((text) => text.includes('two years')) ? promise : Promise.resolve());
    standIn.unsteady = (text) => text.includes('of blue');
    const page = await openConsole(platform.url, platform.key, '/fleets');
    await seen(page, 'No fleet yet');
    await page.getByRole('button', { name: 'Start a fleet' }).click();
    await page.getByLabel('New model').selectOption(SECOND);
    await page.getByLabel('First scopes').fill('team:red');
    await page.getByRole('textbox', { name: 'Waves' }).fill('100');
    await page.getByLabel('Undecided scopes').selectOption('cut-over');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await seen(page, '1 building');
    await press(page, 'Pause');
    await seen(page, 'Paused by a person');
    release();
    await press(page, 'Resume');
    await seen(page, '1 moved');
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Next wave');
    await confirm(page, 'Next wave');
    await seen(page, 'Paused by its rule');
    await seen(page, 'scope to look at');
    expect(await violations(page, 'all')).toEqual([]);
    await press(page, 'Next wave');
    await confirm(page, 'Next wave');
    await seen(page, '1 worse');
    await press(page, 'Roll back');
    await confirm(page, 'Roll back');
    await seen(page, '1 rolled-back');
    expect(await newest()).toMatchObject({ state: 'rolled-back' });
  });

  it('are retired after their end, and cannot be rolled back any more', async () => {
    // The wrong vectors of the first fleet are on the log, and are reused.
    const rule = { undecided: 'cut-over', worsePercent: 100 } as const;
    const { id } = await platform.client.fleets.start({ embeddingVersion: SECOND, percents: [100], ...rule });
    const page = await openConsole(platform.url, platform.key, '/fleets');
    await press(page, 'Retire');
    await confirm(page, 'Retire');
    await seen(page, '1 scope retired.');
    expect(await newest()).toMatchObject({ id, state: 'complete', waves: [{ counts: { retired: 1, worse: 1 } }] });
    expect(await page.getByRole('button', { name: `Roll back of fleet ${id}` }).count()).toBe(0);
    expect(await violations(page, 'all')).toEqual([]);
  });

  it('are planned, approved by another person, and started by the plan', async () => {
    await platform.client.swaps.cancel('team:blue');
    const page = await openConsole(platform.url, platform.key, '/fleets');
    await page.getByRole('button', { name: 'Start a fleet' }).click();
    await page.getByLabel('New model').selectOption(SECOND);
    await page.getByRole('textbox', { name: 'Waves' }).fill('100');
    await page.getByRole('textbox', { name: 'Stop if worse' }).fill('100');
    await page.getByLabel('Chunks', { exact: true }).selectOption('settings');
    await page.getByLabel('Prose: maximum characters per chunk').fill('800');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('not approved').waitFor();
    await seen(page, '2 scopes, 2 documents, 2 chunks');
    await seen(page, 'all documents chunked again');
    expect(await violations(page, 'all')).toEqual([]);
    const [plan] = await platform.client.fleets.plans();
    const id = plan?.id ?? '';
    await page.getByRole('button', { name: `Approve plan ${id}` }).click();
    await seen(page, 'another person has to approve it');
    const { key } = await platform.client.operations.createApiKey({ name: 'colleague', roles: ['operator', 'admin'] });
    const colleague = await openConsole(platform.url, key, '/fleets');
    await colleague.getByRole('button', { name: `Approve plan ${id}` }).click();
    await seen(colleague, `Plan ${id} is approved.`);
    await colleague.getByRole('button', { name: `Start plan ${id}` }).click();
    await seen(colleague, `Fleet ${id} has started.`);
    expect(await newest()).toMatchObject({ id });
    await platform.client.fleets.cancel(id).catch(() => undefined);
  });

  it('report in the server’s words what is wrong', async () => {
    const page = await openConsole(platform.url, platform.key, '/fleets');
    await page.getByRole('button', { name: 'Start a fleet' }).click();
    await page.getByRole('textbox', { name: 'Waves' }).fill('50, 10');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByRole('dialog').getByRole('alert').textContent()).toContain('rising numbers');
  });

  it('are not shown to readers, and an administrator of another tenant sees none', async () => {
    const { key: reader } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'], teams: ['*'] });
    await seen(await openConsole(platform.url, reader, '/fleets'), 'Page not found');
    const { key } = await platform.client.operations.createApiKey({ name: 'theirs', tenant: 'other', teams: ['*'], roles: ['admin'] });
    await seen(await openConsole(platform.url, key, '/fleets'), 'No fleet yet');
  });
});
