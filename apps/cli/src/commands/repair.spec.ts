import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';
import type { Ran } from '../../test/run.ts';

const REPAIR = 'POST /v1/admin/repair';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]): Promise<Ran> => run([...args, '--url', platform.url]);

const after = { clean: true, full: false, position: '7', partitions: [], differences: [], differenceCount: 0 };
const counts = [{ store: 'vectors', kind: 'missing', tenant: 'default', scope: 'deployment', generation: 'g1', count: 2 }];

describe('palimpsest repair', () => {
  it('reports what was repaired', async () => {
    platform.on(REPAIR, () => ({ json: { repaired: 2, counts, seconds: 0.25, after } }));
    const { code, out } = await palimpsest('repair');
    expect(code).toBe(0);
    expect(out).toMatch(/vectors +missing +deployment +g1 +2\n/);
    expect(out).toContain('repaired 2 differences in 0.3 s\nclean: the indexes match the log at position 7\n');
    expect(platform.requestsTo(REPAIR)[0]?.body).toBe('');
  });

  it('exits with 1 if something remains', async () => {
    const left = { ...after, clean: false, differenceCount: 3, uploadDamage: ['one'] };
    platform.on(REPAIR, () => ({ json: { repaired: 0, counts: [], seconds: 0, after: left } }));
    const { code, out } = await palimpsest('repair');
    expect([code, out]).toEqual([
      1,
      expect.stringContaining('nothing was repaired\n3 differences remain; `palimpsest verify` lists them\nthe log, keys'),
    ]);
  });

  it('sends the scopes and their tenant', async () => {
    platform.on(REPAIR, () => ({ json: { repaired: 0, counts: [], seconds: 0, after } }));
    await palimpsest('repair', '--scope', 'team:red', '--tenant', 'acme');
    expect(platform.requestsTo(REPAIR)[0]?.json).toEqual({ scopes: ['team:red'], tenant: 'acme' });
    expect(await palimpsest('repair', '--tenant', 'acme')).toMatchObject({ code: 2, err: expect.stringContaining('--scope') });
  });
});

describe('palimpsest repair history', () => {
  it('lists verifications and repairs', async () => {
    const verified = { startedAt: '2026-11-22T08:00:00.000Z', trigger: 'scheduled', seconds: 1.24 };
    platform.on('GET /v1/admin/verify', () => ({
      json: {
        running: false,
        everyHours: 24,
        repair: 'manual',
        verifications: [
          { ...verified, clean: true, differences: [], damage: 0 },
          { ...verified, clean: false, differences: [{ store: 'catalog', kind: 'extra', count: 2 }], damage: 1 },
          { ...verified, reason: 'the process is stopping' },
        ],
        repairs: [{ repairedAt: '2026-11-22T09:00:00.000Z', by: 'key:k', total: 2, remaining: 0 }],
      },
    }));
    const { code, out } = await palimpsest('repair', 'history');
    expect(code).toBe(0);
    expect(out).toContain('verified every 24 hours; differences are only reported\n');
    expect(out).toMatch(
      /scheduled +1\.2 +clean\n.*2 extra in catalog, 1 times damage of the log, keys or uploads\n.*the process is stopping\n/,
    );
    expect(out).toMatch(/2026-11-22T09:00:00\.000Z +key:k +2 +0\n/);
  });

  it('says that none are scheduled', async () => {
    platform.on('GET /v1/admin/verify', () => ({
      json: { running: false, everyHours: 0, repair: 'manual', verifications: [], repairs: [] },
    }));
    expect((await palimpsest('repair', 'history')).out).toBe('verifications are not scheduled\n');
  });
});
