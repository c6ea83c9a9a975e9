import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakePlatform } from '../../test/fake-platform.ts';
import { run, type Ran } from '../../test/run.ts';

const TRACE = '01a21f2a-cfeb-74b4-9403-be3239ada940';
const RECEIPT = {
  ...{ kind: 'palimpsest-lineage/1', issuedAt: '2026-11-28T01:00:00.000Z', traceId: TRACE, retrieval: '7' },
  ...{ hits: [], records: [], checkpoints: [], publicKey: 'AAAA', signature: 'AAAA' },
};
const LAST = { number: 3, digest: 'a'.repeat(64), upTo: '9', signedAt: '2026-11-28T01:00:00.000Z' };
const CHECK = {
  intact: true,
  records: 9,
  expired: 0,
  vacuumed: 0,
  unsigned: 0,
  checkpoints: 3,
  last: LAST,
  findingCount: 0,
  findings: [],
  keyId: '0123456789abcdef',
};

let platform: FakePlatform;
let folder: string;
beforeEach(async () => {
  [platform, folder] = [await FakePlatform.open(), await mkdtemp(join(tmpdir(), 'palimpsest-'))];
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

describe('palimpsest receipt', () => {
  it('writes a receipt to a new file, which only its owner can read', async () => {
    platform.on(`POST /v1/retrievals/${TRACE}/receipt`, () => ({ json: RECEIPT }));
    const file = join(folder, 'receipt.json');
    const { code, out } = await palimpsest('receipt', 'get', TRACE, file, '--chunk', 'c'.repeat(32));
    expect([code, out]).toEqual([0, expect.stringContaining('0 results')]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(RECEIPT);
    expect(platform.requestsTo(`POST /v1/retrievals/${TRACE}/receipt`)[0]?.json).toEqual({ chunk: 'c'.repeat(32) });
    const again = await palimpsest('receipt', 'get', TRACE, file);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('exists; name another file')]);
  });

  it('says what is wrong with a receipt, without a server', async () => {
    const file = join(folder, 'receipt.json');
    await writeFile(file, JSON.stringify(RECEIPT));
    const changed = await run(['receipt', 'check', file]);
    expect([changed.code, changed.out]).toEqual([1, expect.stringContaining('the signature of the receipt is not valid')]);
    await writeFile(file, JSON.stringify({ ...RECEIPT, hits: 7 }));
    expect((await run(['receipt', 'check', file])).out).toContain('this is no receipt: hits');
    await writeFile(file, 'no JSON');
    expect(await run(['receipt', 'check', file])).toMatchObject({ code: 2, err: expect.stringContaining('is no JSON') });
  });
});

describe('palimpsest verify --log', () => {
  it('prints the checkpoint to keep', async () => {
    platform.on('POST /v1/admin/verify-log', () => ({ json: CHECK }));
    const { code, out } = await palimpsest('verify', '--log');
    expect([code, out]).toEqual([0, expect.stringContaining(`3:${'a'.repeat(64)}`)]);
    expect(out).toContain('intact');
  });

  it('sends the known checkpoint, names what was done to the log, and exits with 1', async () => {
    const finding = { kind: 'changed', position: '5', stream: 'document-acme-a', message: 'the record at position 5 was changed' };
    platform.on('POST /v1/admin/verify-log', () => ({
      json: { ...CHECK, intact: false, unsigned: 2, findingCount: 30, findings: [finding] },
    }));
    const { code, out } = await palimpsest('verify', '--log', '--known', `3:${'b'.repeat(64)}`);
    expect(code).toBe(1);
    for (const part of ['30 findings', 'changed: the record at position 5 was changed', '2 records are not signed yet'])
      expect(out).toContain(part);
    expect(platform.requestsTo('POST /v1/admin/verify-log')[0]?.json).toEqual({ known: { number: 3, digest: 'b'.repeat(64) } });
  });

  it.each([['3:abc'], [`0:${'a'.repeat(64)}`]])('refuses the checkpoint %s', async (known) => {
    expect(await palimpsest('verify', '--log', '--known', known)).toMatchObject({
      code: 2,
      err: expect.stringContaining('<number>:<digest>'),
    });
  });

  it('is needed for a known checkpoint', async () => {
    expect(await palimpsest('verify', '--known', `3:${'a'.repeat(64)}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--known needs --log'),
    });
  });
});
