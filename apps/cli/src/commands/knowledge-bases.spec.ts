import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const [CREATE, CONFIGURE] = ['POST /v1/knowledge-bases', 'PATCH /v1/knowledge-bases/reports'];
const written = { id: 'reports', scope: 'deployment', name: 'reports', status: 'active', position: '1' };

describe('palimpsest knowledge-bases', () => {
  it('declares fields', async () => {
    platform.on(CREATE, () => ({ status: 201, json: written })).on(CONFIGURE, () => ({ json: written }));
    expect(await palimpsest('kb', 'create', 'reports', '--field', 'label.year=number', '--field', 'meta.created=date')).toMatchObject({
      code: 0,
      out: 'created reports in deployment\n',
    });
    await palimpsest('kb', 'configure', 'reports', '--field', 'label.year=date');
    await palimpsest('kb', 'configure', 'reports', '--no-fields');
    await palimpsest('kb', 'configure', 'reports', '--name', 'Reports');
    expect(platform.requestsTo(CREATE).map(({ json }) => json)).toEqual([
      { id: 'reports', fields: { 'label.year': 'number', 'meta.created': 'date' } },
    ]);
    expect(platform.requestsTo(CONFIGURE).map(({ json }) => json)).toEqual([
      { fields: { 'label.year': 'date' } },
      { fields: null },
      { name: 'Reports' },
    ]);
  });

  it('declares fields or none, not both', async () => {
    const { code, err } = await palimpsest('kb', 'configure', 'reports', '--field', 'label.year=date', '--no-fields');
    expect({ code, err }).toEqual({ code: 2, err: 'palimpsest: --field and --no-fields exclude each other\n' });
    expect(platform.requestsTo(CONFIGURE)).toEqual([]);
  });
});
