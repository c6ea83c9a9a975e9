/**
 * `node tools/console-pictures/day.mjs`: the day of an operator in Chromium, on a platform with this repository's documentation and
 * searches all the time. Every step is taken in the console, as a person does, and a picture of each goes to `docs/pictures`. Prints what the
 * searches noticed, and fails if one failed. Needs a build.
 * The scope moves from bge-small-en-v1.5 (see `tools/demo`) to the built-in model; both are behind endpoints without query prefixes.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PalimpsestClient } from '@palimpsest/client';
import { freePort } from '../s3/leash.mjs';
import { PlatformProcess } from '../bench/lib/platform-process.mjs';
import { launchChromium } from '../chromium/chromium.mjs';
import { documentation, headings } from '../demo/documentation.mjs';
import { bgeSmall, BUILT_IN } from '../demo/models.mjs';
import { inRoot } from '../setup/workspace.mjs';
import { openModelEndpoint } from './model-endpoint.mjs';

const SCOPE = 'deployment';
const WINDOW = { width: 1000, height: 900 };
const MAX_BYTES = 150_000;
const PATIENCE_MS = 200_000;
const CALLERS = 40;

const began = performance.now();
const say = (text) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${text}`);

/** Searches of many conversations, one after the other. Those during a kill are not counted. */
class Searches {
  answered = 0;
  failures = [];
  #on = true;
  #done;
  /** While the process is killed. */
  expectFailures = false;

  constructor(client, queries) {
    this.#done = this.#run(client, queries);
  }

  async #run(client, queries) {
    for (let n = 0; this.#on; n++) {
      try {
        await client.search({ query: `${queries[n % queries.length]} ${n}`, conversation: `talk-${n % CALLERS}` });
        this.answered++;
      } catch (error) {
        if (!this.expectFailures) this.failures.push(String(error));
        await sleep(200);
      }
    }
  }
  async stop() {
    this.#on = false;
    await this.#done;
  }
}

const data = mkdtempSync(join(tmpdir(), 'palimpsest-day-'));
const old = await openModelEndpoint(await bgeSmall(say));
const endpoint = await openModelEndpoint(BUILT_IN);
const settings = {
  PALIMPSEST_OPENAI_MODEL: 'bge-small',
  PALIMPSEST_OPENAI_BASE_URL: old.baseUrl,
  PALIMPSEST_OPENAI_DIMENSIONS: '384',
  PALIMPSEST_OPENAI_API_KEY: 'none',
  PALIMPSEST_PORT: String(await freePort()),
  PALIMPSEST_SWAPS_REQUIRE_PLAN: 'true',
  // The models run on the cores of the searches, which would slow the swap down to a tenth.
  PALIMPSEST_REEMBEDDING_SEARCH_MS: '10000',
  PALIMPSEST_LOG_LEVEL: 'fatal',
};
const browser = await launchChromium();
let platform = await PlatformProcess.start(data, settings);
const client = new PalimpsestClient({ url: platform.url, apiKey: platform.apiKey });
let searches;

const open = async (key) => {
  const context = await browser.newContext({ viewport: WINDOW, colorScheme: 'light', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(`${platform.url}/#key=${key}`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.goto(`${platform.url}/swaps`);
  return page;
};
const press = (page, name) => page.getByRole('button', { name: `${name} of ${SCOPE}` }).click();
const confirm = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const seen = (page, text) => page.getByText(text).first().waitFor();
const take = async (page, name) => {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const path = inRoot('docs', 'pictures', `day-${name}.png`);
  await page.evaluate('document.activeElement?.blur()');
  await page.locator('main').screenshot({ path });
  const { size } = statSync(path);
  say(`picture: ${name} (${Math.round(size / 1000)} kB)`);
  if (size > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES / 1000} kB`);
};
const until = async (isReached) => {
  while (!isReached(await client.swaps.get(SCOPE))) await sleep(250);
};

const day = async () => {
  const texts = await documentation();
  await client.documents.upload(texts.map(({ name, text }) => ({ name, content: Buffer.from(text) })));
  await client.waitForAll();
  await client.models.add({
    openai: { baseUrl: endpoint.baseUrl, model: 'minilm-l6', dimensions: 384, provider: 'local' },
    pricePerMillionTokens: 0.02,
  });
  const { key } = await client.operations.createApiKey({ name: 'colleague', roles: ['admin'], user: 'colleague' });
  say(`${texts.length} documents are indexed`);
  searches = new Searches(client, headings(texts, 60));
  const page = await open(platform.apiKey);

  await press(page, 'Change model or chunks');
  await page.getByLabel('New model').selectOption('local:minilm-l6/384');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await seen(page, `The swap of ${SCOPE} is planned`);
  const colleague = await open(key);
  await press(colleague, 'Approve the plan');
  await seen(colleague, 'is approved');
  await take(colleague, '1-plan');

  await press(page, 'Start the plan');
  await seen(page, 'is being embedded');
  for (let kill = 0; kill < 2; kill++) {
    await until(({ swap }) => (swap?.ranges.done ?? 0) > 2 + 2 * kill);
    searches.expectFailures = true;
    await platform.stop('SIGKILL');
    platform = await PlatformProcess.start(data, settings);
    searches.expectFailures = false;
  }
  await page.reload();
  await until(({ swap }) => (swap?.ranges.done ?? 0) > 6);
  await take(page, '2-built-after-two-kills');
  await press(page, 'Pause');
  await seen(page, 'Nothing is embedded until the swap is resumed');
  await take(page, '3-paused');
  await press(page, 'Resume');
  await seen(page, 'Searches use it after the cut-over');

  await press(page, 'Evaluate');
  await confirm(page, 'Evaluate');
  await seen(page, 'g2 compared with g1');
  await take(page, '4-evaluated');

  const canary = async () => {
    await press(page, 'Start a canary');
    await page.getByLabel('Percent of the callers').fill('20');
    await confirm(page, 'Start');
    while (((await client.swaps.canary(SCOPE).catch(() => ({}))).comparison?.canary.queries ?? 0) < 40) await sleep(250);
    await page.reload();
    await seen(page, 'Without a result');
  };
  await canary();
  await take(page, '5-canary');
  endpoint.state.refusesQueries = true;
  const refusedAt = performance.now();
  await until(({ canary: { ended } = {} }) => ended !== undefined);
  say(`the canary returned its callers ${((performance.now() - refusedAt) / 1_000).toFixed(1)} s after the endpoint began to refuse`);
  await page.reload();
  await seen(page, 'served its callers worse');
  await take(page, '6-returned');

  endpoint.state.refusesQueries = false;
  // An endpoint that failed is left alone for five seconds: a canary that starts before that returns its callers again.
  await sleep(6_000);
  await canary();
  await press(page, 'Cut over');
  await confirm(page, 'Cut over');
  await seen(page, 'is searched with the new generation');
  await take(page, '7-cut-over');
  endpoint.state.queryDelayMs = 400;
  await press(page, 'Roll back');
  await confirm(page, 'Roll back');
  await seen(page, 'is searched with the previous generation');
  await take(page, '8-rolled-back');
  await press(page, 'Retire the standby');
  await confirm(page, 'Retire the standby');
  await seen(page, 'has freed its standby generation');
  await take(page, '9-retired');
};

try {
  await day();
  await searches.stop();
  say(`searches: ${searches.answered} answered, ${searches.failures.length} failed`);
  if (searches.failures.length > 0) throw new Error(searches.failures[0]);
} finally {
  await searches?.stop();
  await browser.close();
  await platform.stop('SIGKILL');
  await Promise.all([old.close(), endpoint.close()]);
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
}
