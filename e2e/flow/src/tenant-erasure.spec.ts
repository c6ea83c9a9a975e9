import { PalimpsestClient, type ErasureReceipt } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { SeededRandom } from '@palimpsest/e2e-support/seeded-random';
import { submitText } from '@palimpsest/e2e-support/submit';
import { searchFolder, textProbes } from '@palimpsest/foundation';
import { checkReceipt } from '@palimpsest/proofs';
import { eventually } from '@palimpsest/test-kit/eventually';
import { unnoticedChanges } from './change-something.ts';

const SETTINGS = { PALIMPSEST_PURGE_MINUTES: '0.05' };
const PATIENCE_MS = 60_000;
const SECRETS = ['marmaladecastle', 'cinnamonbattery', 'ann@wharfside.example', 'turnpikelantern'];

describe('The erasure of a tenant', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let key: string;
  let receipt: ErasureReceipt;
  let before: unknown;
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), ...SETTINGS }));
  const theirs = () => new PalimpsestClient({ url: platform.url, apiKey: key });
  const erase = (tenant: string, over: object = {}) =>
    platform.ask(`POST /v1/tenant-erasures/${tenant}`, { json: { confirm: tenant }, ...over });
  const ours = async () => (await platform.client.search({ query: 'harbour' })).hits.map(({ chunkId, score }) => ({ chunkId, score }));
  const residue = async () => [
    ...(
      await searchFolder(
        data,
        SECRETS.flatMap((each) => textProbes(each, each)),
      )
    ).found.keys(),
  ];

  beforeAll(async () => {
    [data, standIn] = [await aDataFolder(), await EmbeddingStandIn.open()];
    await start();
    const everything = { teams: ['*'], user: 'ann', roles: ['admin' as const] };
    ({ key } = await platform.client.operations.createApiKey({ name: 'theirs', tenant: 'acme', ...everything }));
    await submitText(theirs(), { sourceId: 'a.md', title: 'marmaladecastle', text: 'The harbour and the cinnamonbattery.' });
    await theirs().knowledgeBases.create({ id: 'private', scope: 'user:ann' });
    await submitText(theirs(), {
      knowledgeBase: 'private',
      sourceId: 'b.md',
      subject: 'ann@wharfside.example',
      text: 'A turnpikelantern.',
    });
    await submitText(platform.client, { sourceId: 'ours.md', text: 'Our harbour.' });
    before = await ours();
  });

  afterAll(() => platform.stop());

  it('is refused for other callers, without its name, for tenants of operators, and while a scope is held', async () => {
    expectProblem(await erase('acme', { key }), 403, 'Forbidden');
    expectProblem(await erase('acme', { json: { confirm: 'acm' } }), 400, 'InvalidValue');
    expectProblem(await erase('default'), 409, 'Conflict');
    expectProblem(await erase('unheard-of'), 404, 'NotFound');
    expectProblem(await platform.ask('GET /v1/tenant-erasures/acme'), 404, 'NotFound');
    await theirs().erasures.hold('user:ann', 'case 17');
    expectProblem(await erase('acme'), 409, 'Conflict');
    await theirs().erasures.release('user:ann');
  });

  it('revokes its keys and makes all of its scopes unreadable at once, and completes automatically after a kill', async () => {
    const begun = await platform.client.erasures.startOfTenant('acme', 'acme');
    expect(begun).toMatchObject({ tenant: 'acme', scopes: ['deployment', 'user:ann'] });
    await eventually(
      'the key is refused',
      async () => (await platform.ask('POST /v1/search', { key, json: { query: 'x' } })).status === 401 || undefined,
    );
    await platform.kill();
    await start();
    const state = async () => (await platform.client.erasures.getOfTenant('acme')).state === 'completed' || undefined;
    await eventually('it is complete', state, PATIENCE_MS);
    receipt = await platform.client.erasures.receiptOfTenant('acme');
    expect((await erase('acme')).json).toMatchObject({ state: 'completed' });
  });

  it('gives the tenant no new keys, and changes nothing for others', async () => {
    const create = await platform.ask('POST /v1/api-keys', { json: { name: 'late', tenant: 'acme' } });
    expectProblem(create, 410, 'ScopeKeyDestroyed');
    expect(await ours()).toEqual(before);
    expect(await platform.client.operations.verify()).toMatchObject({ clean: true, differenceCount: 0 });
    expect(await platform.client.operations.verifyLog()).toMatchObject({ intact: true });
  });

  if (!DISTRIBUTED)
    it('leaves no byte of its contents in the data folder', () =>
      eventually('the files are written again', async () => (await residue()).length === 0 || undefined, PATIENCE_MS));

  it('has a receipt that is valid without a server, and shows each of 1,000 changes', () => {
    expect(checkReceipt(receipt)).toEqual({ receipt });
    expect(receipt).toMatchObject({ tenant: 'acme', scopes: ['deployment', 'user:ann'], unreadable: { documents: 2 } });
    const random = new SeededRandom(7);
    expect(unnoticedChanges(receipt, (changed) => !('problems' in checkReceipt(changed)), random)).toEqual([]);
  });
});
