import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  it('takes synonyms from a file, without comments, or removes them', async () => {
    platform.on(CREATE, () => ({ status: 201, json: written })).on(CONFIGURE, () => ({ json: written }));
    const folder = await mkdtemp(join(tmpdir(), 'synonyms-'));
    const file = join(folder, 'rules.txt');
    await writeFile(file, '# meanings\r\nsso, single sign-on\r\n\n  k8s => kubernetes \n');
    await palimpsest('kb', 'create', 'reports', '--synonyms', file);
    await palimpsest('kb', 'configure', 'reports', '--synonyms', file);
    await palimpsest('kb', 'configure', 'reports', '--no-synonyms');
    const synonyms = ['sso, single sign-on', 'k8s => kubernetes'];
    expect(platform.requestsTo(CREATE).map(({ json }) => json)).toEqual([{ id: 'reports', synonyms }]);
    expect(platform.requestsTo(CONFIGURE).map(({ json }) => json)).toEqual([{ synonyms }, { synonyms: null }]);
    expect(await palimpsest('kb', 'configure', 'reports', '--synonyms', join(folder, 'no.txt'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('no such file'),
    });
    await rm(folder, { recursive: true });
  });

  it('declares fields or none, not both', async () => {
    const { code, err } = await palimpsest('kb', 'configure', 'reports', '--field', 'label.year=date', '--no-fields');
    expect({ code, err }).toEqual({ code: 2, err: 'palimpsest: --field and --no-fields exclude each other\n' });
    expect(platform.requestsTo(CONFIGURE)).toEqual([]);
  });
});
