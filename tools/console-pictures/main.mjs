/**
 * `node tools/console-pictures/main.mjs`: takes pictures of the console's real pages for the README and the docs, light and dark, in
 * Chromium. It starts a platform on its own folder, with this repository's documentation in it. Needs a build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { openEmbeddingStandIn } from '../bench/lib/embedding-stand-in.mjs';
import { launchChromium } from '../chromium/chromium.mjs';
import { PINNED_NODE, inRoot } from '../setup/workspace.mjs';
import { changed, deleted, documents, questions, replayed } from './contents.mjs';

const FOLDER = inRoot('docs', 'pictures');
/** A page of documentation is loaded often, so its pictures must be small. */
const MAX_BYTES = 150_000;
const COLOURS = ['light', 'dark'];
const WINDOW = { width: 1200, height: 630 };

const startPlatform = async (data) => {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PALIMPSEST_'));
  const environment = {
    ...Object.fromEntries(inherited),
    PALIMPSEST_DATA: data,
    PALIMPSEST_PORT: '0',
    PALIMPSEST_LOG_LEVEL: 'fatal',
    PALIMPSEST_INGESTION_ATTEMPTS: '1',
    PALIMPSEST_PURGE_MINUTES: '0.05',
    PALIMPSEST_CHECKPOINT_SECONDS: '1',
  };
  const child = spawn(PINNED_NODE, [inRoot('apps', 'platform', 'dist', 'main.js')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(() => {
    throw new Error('the platform exited before it listened: run npm run build');
  });
  const listening = async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = / listens on (\S+)/.exec(line) ?? [];
      if (url) return url;
    }
    return ended;
  };
  const url = await listening();
  child.stdout.resume();
  ended.catch(() => undefined);
  return { url, stop: () => child.kill('SIGTERM') };
};

/** Slow, so that the picture shows a swap in the middle. */
const SECOND_MODEL = { model: 'multilingual', dimensions: 384, provider: 'local' };
const SECOND_VERSION = 'local:multilingual/384';
const LIMITS = { concurrency: 2, requestsPerMinute: 12 };

const addModel = (client, baseUrl) =>
  client.models.add({ openai: { baseUrl, ...SECOND_MODEL }, limits: LIMITS, pricePerMillionTokens: 0.02 });

const swap = async (client) => {
  await client.swaps.start('deployment', { embeddingVersion: SECOND_VERSION, cutover: 'manual' });
  for (;;) {
    const { swap: { ranges } = {} } = await client.swaps.get('deployment');
    if (ranges?.done >= 3) return;
    await setTimeout(200);
  }
};

const upload = (client, { name, text, knowledgeBase }) =>
  client.documents.upload([{ name, content: new TextEncoder().encode(text) }], { knowledgeBase });

/** A search, and then changes that it answers otherwise after. Returns what the addresses of pages need. */
const changeHandbook = async (client) => {
  await client.tenants.setLimits('default', { overrides: { recordQueries: true } });
  const { documents: submitted } = await upload(client, deleted);
  await client.waitForAll();
  const { traceId } = await client.search({ query: replayed, knowledgeBases: ['handbook'], topK: 4 });
  while ((await client.retrievals.replay(traceId).catch(() => undefined)) === undefined) await setTimeout(200);
  await upload(client, changed);
  await client.waitForAll();
  await client.documents.remove(submitted[0].documentId);
  const { entries } = await client.timeline.list('deployment', { knowledgeBase: 'handbook', limit: 5 });
  return { traceId, moment: entries.find(({ kind }) => kind === 'changed').position };
};

const fill = async (client) => {
  await client.knowledgeBases.create({
    id: 'handbook',
    name: 'Employee handbook',
    description: 'What everybody should be able to look up',
    scope: 'deployment',
  });
  await client.knowledgeBases.create({ id: 'red-team', name: 'Notes of the red team', scope: 'team:red' });
  for (const each of documents) await upload(client, each);
  await client.knowledgeBases.pause('red-team');
  await client.waitForAll();
  for (const query of questions) await client.search({ query });
  return changeHandbook(client);
};

/** Scopes that are held and erased, and documents about a person. */
const fillForErasure = async (client) => {
  for (const id of ['legal', 'people-2019', 'people-2020']) await client.knowledgeBases.create({ id, scope: `team:${id}` });
  const text = '# A letter\n\nTo a former colleague.';
  for (const knowledgeBase of ['handbook', 'legal', 'people-2019', 'people-2020'])
    await client.documents.submitText({ knowledgeBase, subject: PERSON, sourceId: `${knowledgeBase}.md`, text });
  await client.waitForAll();
  await client.erasures.start('team:people-2019', 'team:people-2019');
  while ((await client.erasures.get('team:people-2019')).state !== 'completed') await setTimeout(200);
  await client.erasures.hold('team:legal', 'case 17/2026');
};

/** So that the page has a scope whose old history was removed. */
const removeHistory = async (client) => {
  const scope = 'team:people-2020';
  await client.documents.submitText({ knowledgeBase: 'people-2020', sourceId: 'travel.md', text: 'Trains, up to four hours.' });
  await client.waitForAll();
  await client.documents.submitText({ knowledgeBase: 'people-2020', sourceId: 'travel.md', text: 'Trains, up to six hours.' });
  await client.waitForAll();
  let { running } = await client.erasures.removeHistory(scope, 0);
  while (running) {
    await setTimeout(200);
    ({ running } = await client.erasures.history(scope));
  }
};

const PERSON = 'ann@example.org';

const OF_ERASURE = [
  {
    name: 'erasure',
    path: '/erasure',
    seen: 'There is a signed receipt.',
    height: 1120,
    then: async (page) => {
      await page.getByLabel('Person', { exact: true }).fill(PERSON);
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await page.getByRole('button', { name: 'Erase this person' }).waitFor();
    },
  },
  {
    name: 'erasure-confirm',
    path: '/erasure',
    seen: 'There is a signed receipt.',
    then: async (page) => {
      await page.getByRole('button', { name: 'Erase team:people-2020', exact: true }).click();
      await page.getByLabel('Name of the scope').fill('team:people-2020');
    },
  },
  {
    name: 'erasure-history',
    path: '/erasure',
    seen: 'There is a signed receipt.',
    colours: ['light'],
    then: async (page) => {
      await page.getByRole('button', { name: 'Remove history of team:red', exact: true }).click();
      await page.getByLabel('Name of the scope').fill('team:red');
    },
  },
];

/** Taken before the swap begins. Words in capital letters stand for what `changeHandbook` returns. */
const OF_THE_PAST = [
  { name: 'timeline', path: '/timeline?kb=handbook&asOf=MOMENT', seen: 'Search as of this moment', height: 820 },
  { name: 'replay', path: '/replay/TRACE', seen: 'Compared with now', height: 760 },
];

/** Before the swap. */
const OF_THE_START = [
  {
    name: 'swap-start',
    path: '/swaps',
    seen: 'Change model or chunks',
    colours: ['light'],
    height: 840,
    then: async (page) => {
      await page.getByRole('button', { name: 'Change model or chunks of deployment', exact: true }).click();
      await page.getByLabel('New model').selectOption(SECOND_VERSION);
      await page.getByLabel('Cut-over').selectOption('gate');
      await page.getByLabel('After', { exact: true }).fill('2026-11-01T00:00:00');
    },
  },
];

const SHOTS = [
  {
    name: 'search',
    path: '/search?q=what+must+be+backed+up',
    seen: 'results in',
    then: (page) => page.getByRole('button', { name: 'Why this result, number 1', exact: true }).click(),
  },
  { name: 'compare', path: '/search?q=what+must+be+backed+up&view=compare', seen: /by meaning: vectors/ },
  { name: 'context', path: '/search?q=what+must+be+backed+up&view=context', seen: 'Text for the prompt' },
  { name: 'documents', path: '/documents?kb=handbook', seen: 'Travel' },
  { name: 'events', path: '/events?kb=handbook', seen: 'Follow live' },
  { name: 'models', path: '/models', seen: 'New scopes start with this model' },
  { name: 'swaps', path: '/swaps', seen: 'is being embedded' },
  { name: 'overview', path: '/overview', seen: 'As a table', height: 1010 },
];

const take = async (browser, { url, key, traceId, moment }, shots, colorScheme) => {
  const page = await (await browser.newContext({ viewport: WINDOW, colorScheme, reducedMotion: 'reduce' })).newPage();
  await page.goto(`${url}/#key=${key}`);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  for (const { name, path, seen, then, height, colours = COLOURS } of shots) {
    if (!colours.includes(colorScheme)) continue;
    await page.setViewportSize({ ...WINDOW, height: height ?? WINDOW.height });
    await page.goto(`${url}${path.replace('TRACE', traceId).replace('MOMENT', moment)}`);
    await page.getByText(seen).first().waitFor();
    await then?.(page);
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await page.evaluate('document.activeElement?.blur()');
    const file = join(FOLDER, `console-${name}-${colorScheme}.png`);
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    process.stdout.write(`${file}: ${Math.round(size / 1000)} kB\n`);
    if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1000} kB`);
  }
};

const data = mkdtempSync(join(tmpdir(), 'palimpsest-pictures-'));
mkdirSync(FOLDER, { recursive: true });
const { PalimpsestClient } = await import(inRoot('libs', 'client', 'dist', 'index.js'));
const platform = await startPlatform(data);
const standIn = await openEmbeddingStandIn();
const browser = await launchChromium();
try {
  const key = readFileSync(join(data, 'keys', 'local-api-key'), 'utf8').trim();
  const client = new PalimpsestClient({ url: platform.url, apiKey: key });
  const pages = { url: platform.url, key, ...(await fill(client)) };
  await addModel(client, standIn.settings.PALIMPSEST_OPENAI_BASE_URL);
  for (const colorScheme of COLOURS) await take(browser, pages, [...OF_THE_PAST, ...OF_THE_START], colorScheme);
  await swap(client);
  for (const colorScheme of COLOURS) await take(browser, pages, SHOTS, colorScheme);
  await fillForErasure(client);
  await removeHistory(client);
  for (const colorScheme of COLOURS) await take(browser, pages, OF_ERASURE, colorScheme);
} finally {
  await browser.close();
  await standIn.close();
  platform.stop();
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
}
