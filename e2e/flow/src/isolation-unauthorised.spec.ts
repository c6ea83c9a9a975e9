import { jest } from '@jest/globals';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { VectorScope } from '@palimpsest/knowledge/values';

const ACCESS = '../../../libs/knowledge/src/access/access.ts';
const actual = (await import(ACCESS)) as Record<string, unknown>;

/** Permits every requested scope to any caller. */
const authorise = (access: Access, requested: readonly VectorScope[]): readonly PermittedScope[] =>
  [...new Set(requested)].map((scope) => ({ tenant: access.tenant, scope }) as PermittedScope);

jest.unstable_mockModule(ACCESS, () => ({ ...actual, authorise }));
// Imported after the mock, so that every module of the platform uses it.
const { LayeredPlatform, leaks } = await import('./layered-platform.ts');
const { authorise: authoriseUsed, IsolationBreach } = await import('@palimpsest/knowledge/access');
const { DEFAULT_TENANT, vectorScope } = await import('@palimpsest/knowledge/values');

describe('without the first layer, which authorises the requested scopes', () => {
  let platform: Awaited<ReturnType<typeof LayeredPlatform.start>>;
  let red: Awaited<ReturnType<typeof platform.fill>>;
  beforeAll(async () => {
    platform = await LayeredPlatform.start();
    red = await platform.fill();
  });

  it('the first layer is really missing', () => {
    expect(authoriseUsed({ tenant: DEFAULT_TENANT, teams: [], roles: [], actor: 'test' }, [vectorScope('team:red')])).toHaveLength(1);
  });

  it.each([
    ['another team', 'default', { teams: ['blue'], roles: ['writer'] }],
    ['another team’s admin', 'default', { teams: ['blue'], roles: ['admin'] }],
    ['another tenant', 'other', { teams: ['*'], roles: ['admin'] }],
    ['an operator', 'default', { teams: ['*'], roles: ['operator'] }],
  ] as const)('the second layer shows nothing to %s', async (_, tenant, key) => {
    expect(leaks(await platform.attempts(await platform.keyOf(tenant, key), red))).toEqual([]);
  });

  it('the second layer reports the breach', () => {
    expect(platform.faults.filter((fault) => fault instanceof IsolationBreach).length).toBeGreaterThan(0);
  });
});
