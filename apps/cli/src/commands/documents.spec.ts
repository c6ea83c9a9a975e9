import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const LIST = 'GET /v1/documents';
const filter = { eq: { field: 'label.year', value: 2026 } };

describe('palimpsest documents', () => {
  it('lists and counts by filter', async () => {
    platform.on(LIST, () => ({ json: { documents: [], total: 7 } }));
    expect(await palimpsest('documents', 'count', '--kb', 'reports', '--filter', JSON.stringify(filter))).toMatchObject({
      code: 0,
      out: '7\n',
    });
    await palimpsest('documents', 'list', '--filter', JSON.stringify(filter));
    const sent = platform.requestsTo(LIST).map(({ query }) => Object.fromEntries(query));
    expect(sent).toEqual([
      { knowledgeBase: 'reports', filter: JSON.stringify(filter), limit: '1', total: 'true' },
      { filter: JSON.stringify(filter), limit: '50', total: 'true' },
    ]);
  });

  it('refuses a filter that is no JSON', async () => {
    expect(await palimpsest('documents', 'count', '--filter', 'x')).toMatchObject({ code: 2, err: 'palimpsest: --filter is no JSON\n' });
  });
});
