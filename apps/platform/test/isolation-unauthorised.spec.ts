import { jest } from '@jest/globals';
import type { Access, PermittedScope, VectorScope } from '@palimpsest/knowledge';

const ACCESS = '../../../libs/knowledge/src/access/access.ts';
const actual = await import(ACCESS) as Record<string, unknown>;

/** Lets everything through that is asked for, whoever asks. */
const authorise = (access: Access, requested: readonly VectorScope[]): readonly PermittedScope[] => [...new Set(requested)].map((scope) => ({ tenant: access.tenant, scope }) as PermittedScope);

jest.unstable_mockModule(ACCESS, () => ({ ...actual, authorise }));
// Behind the exchange, so that every module of the platform gets the other one.
const { LayeredPlatform, telling } = await import('./layered-platform.ts');
const knowledge = await import('@palimpsest/knowledge');

describe('without the first layer, which judges what is asked for', () => {
  let platform: Awaited<ReturnType<typeof LayeredPlatform.start>>;
  let red: Awaited<ReturnType<typeof platform.fill>>;
  beforeAll(async () => {
    platform = await LayeredPlatform.start();
    red = await platform.fill();
  }, 300_000);

  it('it is really missing', () => {
    expect(knowledge.authorise({ tenant: knowledge.DEFAULT_TENANT, teams: [], roles: [], actor: 'test' }, [knowledge.vectorScope('team:red')])).toHaveLength(1);
  });

  it.each([
    ['another team', 'default', { teams: ['blue'], roles: ['writer'] }],
    ['another team’s admin', 'default', { teams: ['blue'], roles: ['admin'] }],
    ['another tenant', 'other', { teams: ['*'], roles: ['admin'] }],
    ['an operator', 'default', { teams: ['*'], roles: ['operator'] }],
  ] as const)('the second one shows nothing to %s', async (_, tenant, key) => {
    expect(telling(await platform.attempts(await platform.keyOf(tenant, key), red))).toEqual([]);
  }, 300_000);

  it('and tells that the first one is missing', () => {
    expect(platform.faults.filter((fault) => fault instanceof knowledge.IsolationBreach).length).toBeGreaterThan(0);
  });
});
