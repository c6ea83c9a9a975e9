import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

describe('models in the console', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let address: string;
  beforeAll(async () => {
    standIn = await EmbeddingStandIn.open();
    address = standIn.settings()['PALIMPSEST_OPENAI_BASE_URL'] ?? '';
    platform = await PlatformUnderTest.start(await aDataFolder(), standIn.settings());
  });

  it('are added, tested and removed by an operator', async () => {
    const page = await openConsole(platform.url, platform.key, '/models');
    await seen(page, 'New scopes start with this model');
    await page.getByRole('button', { name: 'Add a model' }).click();
    await page.getByLabel('Address').fill('ftp://nowhere');
    await page.getByLabel('Name of the model').fill('second');
    await page.getByLabel('Dimensions').fill('64');
    await page.getByText('Prefixes, limits and price').click();
    await page.getByLabel('Requests per minute').fill('600');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await seen(page, 'openai.baseUrl');
    await page.getByLabel('Address').fill(address);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await seen(page, 'openai:second/64 was added');
    await seen(page, 'at most 600 requests a minute');
    await page.getByRole('button', { name: 'Test openai:second/64' }).click();
    await seen(page, 'The test has passed');
    await page.getByRole('button', { name: 'Remove openai:second/64' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await seen(page, 'openai:second/64 was removed');
    expect((await platform.client.models.list()).map(({ version }) => version)).not.toContain('openai:second/64');
  });

  it('that fail their test say why', async () => {
    await platform.client.models.add({ openai: { baseUrl: address, model: 'short', dimensions: 32 } });
    const page = await openConsole(platform.url, platform.key, '/models');
    await page.getByRole('button', { name: 'Test openai:short/32' }).click();
    await seen(page, 'dimensions');
    await page.getByRole('alert').waitFor();
  });

  it('are shown to readers without addresses and buttons', async () => {
    const { key } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'], teams: ['*'] });
    const page = await openConsole(platform.url, key, '/models');
    await seen(page, 'openai:stand-in/64');
    expect(await page.locator('main').textContent()).not.toContain('127.0.0.1');
    expect(await page.locator('main').getByRole('button').count()).toBe(0);
  });
});
