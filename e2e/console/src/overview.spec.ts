import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { openConsole, seen } from './browser.ts';

describe('the overview in the console', () => {
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    platform = await PlatformUnderTest.start(await aDataFolder(), {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_CHECKPOINT_SECONDS: '1',
    });
    for (const name of ['one', 'two'])
      await submitText(platform.client, { sourceId: `${name}.md`, text: `# Number ${name}\n\nA text about ${name}.` });
    await platform.client.search({ query: 'a text about one' });
  });

  it('counts documents by their state, and leads to them', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    const tile = page.locator('.tile').filter({ hasText: 'indexed' });
    await tile.getByText('2', { exact: true }).waitFor();
    await page.locator('.tile').filter({ hasText: 'chunks' }).getByText('2', { exact: true }).waitFor();
    await tile.getByRole('link').click();
    await seen(page, 'Number one');
    expect(page.url()).toBe(`${platform.url}/documents?status=indexed`);
  });

  it('shows a tenant with quotas its usage, and others nothing', async () => {
    const free = await openConsole(platform.url, platform.key, '/overview');
    await free.locator('.tile').filter({ hasText: 'chunks' }).waitFor();
    expect(await free.getByRole('heading', { name: /^Usage of / }).count()).toBe(0);
    await platform.client.tenants.setLimits('limited', { overrides: { quotas: { documents: 5, bytes: 2048 } } });
    const { key } = await platform.client.operations.createApiKey({ name: 'limited', tenant: 'limited', roles: ['writer'] });
    await submitText(platform.as(key), { sourceId: 'mine.md', text: 'A text of mine.' });
    const page = await openConsole(platform.url, key, '/overview');
    const use = page.getByRole('region', { name: 'Usage of limited' });
    await use.getByText('1 of 5').waitFor();
    await use.getByText('15 B of 2.0 KB').waitFor();
    expect(await use.locator('.tile').count()).toBe(2);
  });

  it('shows operators a running rebuild, which they can pause, resume and cancel', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    await page.locator('.tile').filter({ hasText: 'chunks' }).waitFor();
    const shown = page.getByRole('region', { name: /^Rebuild of the read models/ });
    expect(await shown.count()).toBe(0);
    // One event per second: it does not end before it is cancelled.
    const rebuilt = platform.ask('POST /v1/admin/rebuild', { json: { maxEventsPerSecond: 1 } });
    await shown.getByText('running', { exact: true }).waitFor();
    await shown.getByText(/^\d+ of \d+ positions$/).waitFor();
    await shown.getByRole('button', { name: 'Pause the rebuild' }).click();
    await shown.getByText('paused', { exact: true }).waitFor();
    await shown.getByRole('button', { name: 'Resume the rebuild' }).click();
    await shown.getByText('running', { exact: true }).waitFor();
    await shown.getByRole('button', { name: 'Cancel the rebuild' }).click();
    await shown.getByText('cancelled', { exact: true }).waitFor();
    expect((await rebuilt).status).toBe(409);
    expect(await shown.getByRole('button').count()).toBe(0);
  });

  it('shows operators the last verification, verifies on request, and offers no repair where nothing differs', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    const shown = page.getByRole('region', { name: /^Verification of the read models/ });
    await shown.getByRole('button', { name: 'Verify now' }).click();
    await shown.getByText('ok', { exact: true }).waitFor();
    await shown
      .getByText(/ · no differences/)
      .first()
      .waitFor();
    expect(await shown.getByRole('button', { name: 'Repair' }).count()).toBe(0);
    await shown.getByText('History').click();
    await shown
      .getByText(/requested · [\d.]+ s · \d+ chunks, all of the log/)
      .first()
      .waitFor();
    const { key } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] });
    const readers = await openConsole(platform.url, key, '/overview');
    await readers.locator('.tile').filter({ hasText: 'chunks' }).waitFor();
    expect(await readers.getByRole('region', { name: /^Verification/ }).count()).toBe(0);
  });

  it('verifies the signatures of the log on request', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    const shown = page.getByRole('region', { name: 'Signatures of the log' });
    await shown.getByRole('button', { name: 'Verify the log' }).click();
    await shown.getByText('intact', { exact: true }).waitFor();
    await shown.getByText(/^Last checkpoint, to keep .*: \d+:[0-9a-f]{64}$/).waitFor();
  });

  it('shows the results of the last minute, and how long searches took', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    const minute = page.getByRole('region', { name: /^The last 60 seconds/ });
    await minute.waitFor();
    // The figures follow the responses; the page refreshes automatically.
    await minute.getByText(/^1 relevant, 0 not relevant, 0 without results$|^0 relevant, 1 not relevant, 0 without results$/).waitFor();
    await minute
      .getByText(/^p50 [\d.]+ m?s, p95 [\d.]+ m?s \(\d+\)$/)
      .first()
      .waitFor();
    await minute.getByText('up to date').waitFor();
  });

  it('draws its series, and has each as a table for those who do not see a drawing', async () => {
    const page = await openConsole(platform.url, platform.key, '/overview');
    const chart = page.getByRole('region', { name: /^Indexed/ });
    await chart.locator('canvas').waitFor({ state: 'attached' });
    expect(await page.locator('.plot canvas').count()).toBe(6);
    await chart
      .getByText(/highest 0\.\d+\/s/)
      .first()
      .waitFor();
    await chart.getByText('As a table').click();
    const table = page.getByRole('region', { name: 'Indexed, as a table' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'From',
      'documents (/s)',
      'chunks (/s)',
      'failed documents (/s)',
    ]);
    const rows = await table
      .getByRole('row')
      .filter({ hasNot: page.getByRole('columnheader') })
      .allTextContents();
    expect(rows.some((row) => /0\.[1-9]|0\.0[1-9]|[1-9]/.test(row.slice('00:00:00'.length)))).toBe(true);
  });
});
