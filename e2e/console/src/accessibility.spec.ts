import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { submitText } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { violations } from './axe.ts';
import { openConsole, openWindow, seen } from './browser.ts';

describe('the console for everybody', () => {
  let platform: PlatformUnderTest;
  let documentId: string;
  let changedId: string;
  /** What capital letters in an address stand for. */
  const named: Record<string, string> = {};
  beforeAll(async () => {
    const standIn = await EmbeddingStandIn.open();
    platform = await PlatformUnderTest.start(await aDataFolder(), { ...standIn.settings(), PALIMPSEST_INGESTION_ATTEMPTS: '1' });
    ({ documentId } = await submitText(platform.client, {
      sourceId: 'warranty.md',
      text: '# Warranty\n\nIt ends after two years.',
      labels: { topic: 'shop' },
    }));
    for (const days of ['thirty', 'forty'])
      ({ documentId: changedId } = await submitText(platform.client, {
        sourceId: 'returns.md',
        text: `# Returns\n\nWithin ${days} days.`,
      }));
    standIn.refusal = { when: (text) => text.includes('ill-fated'), status: 401 };
    await submitText(platform.client, { sourceId: 'ill-fated.md', text: 'An ill-fated text.' });
    const judgements = [{ documentId, grade: 2 }];
    await platform.client.golden.import({ scope: 'deployment', set: 'faq' }, [{ id: 'a', text: 'how long?', judgements }]);
    await platform.client.tenants.setLimits('default', { overrides: { recordQueries: true } });
    await platform.client.knowledgeBases.update('default', { synonyms: ['sso, single sign-on'], fields: { 'label.topic': 'keyword' } });
    const { traceId } = await platform.client.search({ query: 'warranty' });
    const search = await eventually(
      'the search is on the log',
      async () => (await platform.client.events.list({ types: ['KnowledgeRetrieved'], limit: 1 })).events[0],
    );
    await submitText(platform.client, { sourceId: 'kettles.md', text: '# Kettles\n\nThe warranty of kettles.' });
    const [newest] = (await platform.client.events.list({ limit: 1 })).events;
    const position = newest?.position ?? '';
    Object.assign(named, { DOCUMENT: documentId, RETURNS: changedId, POSITION: position, SEARCH: search.position, TRACE: traceId });
  });

  const PAGES: readonly (readonly [path: string, text: string | RegExp])[] = [
    ['/search', 'Ask a first question'],
    ['/search?q=warranty&filter=topic%3Dshop', '1 result in'],
    ['/search?q=warranty&with=kettle&collapse=true', 'Advanced (2)'],
    ['/search?q=warranty&view=compare', /^Dense: \d|only here/],
    ['/search?q=warranty&view=context', 'Text for the prompt'],
    ['/search?q=x&filter=%7B%22near%22%3A1%7D', 'Invalid request'],
    ['/search?q=warranty&filter=topic%3Dshop&asOf=POSITION', '1 result in'],
    ['/documents?asOf=POSITION', 'Warranty'],
    ['/documents/DOCUMENT?asOf=POSITION', 'It ends after two years.'],
    ['/documents?asOf=yesterday', 'Field asOf'],
    ['/documents/RETURNS?from=1&to=2', 'Chunks that differ'],
    ['/documents/RETURNS?version=1', /^“Returns”, indexed/],
    ['/documents', 'Warranty'],
    ['/documents?status=pending', 'No matching documents'],
    ['/documents/DOCUMENT', 'It ends after two years.'],
    ['/knowledge-bases', 'default'],
    ['/knowledge-bases?new', 'Chunking settings'],
    ['/knowledge-bases/default', 'Searches that name no strategy use'],
    ['/timeline', '“Warranty” arrived'],
    ['/timeline?asOf=POSITION', 'Search as of this moment'],
    ['/timeline?scope=team:none', 'Scope not found'],
    ['/events', /^key:[0-9a-f]{8}…$/],
    ['/events?type=NoSuchType', 'Invalid request'],
    ['/events/POSITION', 'Event data'],
    ['/events/SEARCH', 'Replay this search'],
    ['/replay/TRACE', 'Compared with now'],
    ['/replay/TRACE?strategy=SparseOnly&top=1', 'Compared with now, SparseOnly, 1 result'],
    ['/replay', 'Compare with'],
    ['/replay/00000000-0000-4000-8000-000000000000', 'Search not found'],
    ['/overview', 'As a table'],
    ['/models', 'New scopes start with this model'],
    ['/swaps', 'Change model or chunks'],
    ['/golden-queries', 'by key:'],
    ['/golden-queries/judge?q=warranty', 'Exact answer'],
    ['/golden-queries/sets/deployment/faq', 'Latest changes'],
    ['/fleets', 'Start a fleet'],
    ['/erasure', 'The own tenant and default cannot be erased'],
    ['/dead-letters', '1 dead letter'],
    ['/search/nowhere', 'Page not found'],
  ];

  // The pages are the same in both; only what depends on colours is looked at again.
  describe.each([
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const)('in %s colours', (colorScheme, rules) => {
    it('has no violation that axe knows of on any page', async () => {
      const page = await openConsole(platform.url, platform.key, '/search', { colorScheme });
      const found: Record<string, readonly string[]> = {};
      for (const [path, text] of PAGES) {
        await page.goto(`${platform.url}${path.replace(/[A-Z]{5,}/g, (name) => named[name] ?? name)}`);
        await seen(page, text);
        found[path] = await violations(page, rules);
      }
      expect(found).toEqual(Object.fromEntries(PAGES.map(([path]) => [path, []])));
    });

    it('has none on the sign-in and in a narrow window', async () => {
      const { page } = await openWindow(platform.url, { colorScheme });
      await page.goto(platform.url);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await seen(page, 'Enter an API key');
      expect(await violations(page, rules)).toEqual([]);
      const narrow = await openConsole(platform.url, platform.key, '/documents', { colorScheme, viewport: { width: 360, height: 700 } });
      await seen(narrow, 'Warranty');
      expect(await violations(narrow, rules)).toEqual([]);
      expect(await narrow.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await narrow.goto(`${platform.url}/knowledge-bases/default`);
      await seen(narrow, 'Searches that name no strategy use');
      expect(await violations(narrow, rules)).toEqual([]);
      expect(await narrow.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await narrow.goto(`${platform.url}/search?q=warranty&expand=section`);
      await seen(narrow, 'Text around each result');
      expect(await narrow.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    it('has none with a hit explained, and in a question that asks for a confirmation', async () => {
      const page = await openConsole(platform.url, platform.key, '/search?q=warranty', { colorScheme });
      await page
        .getByRole('button', { name: /^Why this result/ })
        .first()
        .click();
      await seen(page, 'By meaning (vectors)');
      expect(await violations(page, rules)).toEqual([]);
      await page.goto(`${platform.url}/documents/${documentId}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violations(page, rules)).toEqual([]);
    });
  });
});
