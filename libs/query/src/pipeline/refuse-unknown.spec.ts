import { NotFound } from '@palimpsest/knowledge/errors';
import { knowledgeBaseId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
import type { KnowledgeBaseView } from '@palimpsest/knowledge/read-models';
import type { KnowledgeBaseId } from '@palimpsest/knowledge/values';
import { refuseUnknown } from './refuse-unknown.ts';

const caller = (over: Partial<Access> = {}): Access => ({
  tenant: tenantId('acme'),
  teams: ['red'],
  user: 'ann',
  roles: ['reader'],
  actor: 'key-1',
  ...over,
});
const scopes = (...names: string[]) => names.map((name) => vectorScope(name));
const KNOWN = scopes('deployment', 'team:red', 'team:blue');
/** One knowledge base in each scope, named after the scope. */
const catalog = {
  knowledgeBase: async (readable: readonly PermittedScope[], id: KnowledgeBaseId) =>
    readable.some(({ scope }) => `kb-${scope.replace('team:', '')}` === id) ? ({ id } as KnowledgeBaseView) : undefined,
};
const refused = (access: Access, named: Parameters<typeof refuseUnknown>[1], more: Parameters<typeof refuseUnknown>[2] = []) =>
  refuseUnknown(access, named, [{ known: KNOWN, catalog }, ...more]).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A search that names scopes or knowledge bases', () => {
  it('is accepted when the caller may read all of them', async () => {
    expect(await refused(caller(), {})).toBeUndefined();
    expect(
      await refused(caller(), {
        scopes: scopes('deployment', 'team:red'),
        knowledgeBases: [knowledgeBaseId('kb-red'), knowledgeBaseId('kb-deployment')],
      }),
    ).toBeUndefined();
  });

  it.each([
    ['unknown', 'kb-none'],
    ['closed to the caller', 'kb-blue'],
  ])('is rejected with the same error for a knowledge base that is %s', async (_, id) => {
    const error = await refused(caller(), { knowledgeBases: [knowledgeBaseId('kb-red'), knowledgeBaseId(id)] });
    expect(error).toBeInstanceOf(NotFound);
    expect(String(error)).toBe(`NotFound: knowledge base "${id}" not found`);
  });

  it.each([
    ['unknown', 'team:none'],
    ['closed to the caller', 'team:blue'],
  ])('is rejected with the same error for a scope that is %s', async (_, scope) => {
    const error = await refused(caller(), { scopes: scopes('deployment', scope) });
    expect(error).toBeInstanceOf(NotFound);
    expect(String(error)).toBe(`NotFound: scope "${scope}" not found`);
  });

  it('is accepted when one of several catalogs has them, but not what the caller may not read in either', async () => {
    const newer = { known: scopes('team:new', 'team:secret'), catalog: { knowledgeBase: async () => undefined } };
    const keyOf = caller({ teams: ['red', '*'] });
    expect(await refused(keyOf, { scopes: scopes('team:new', 'team:red') }, [newer])).toBeUndefined();
    expect(await refused(caller(), { scopes: scopes('team:secret') }, [newer])).toBeInstanceOf(NotFound);
    expect(await refused(keyOf, { knowledgeBases: [knowledgeBaseId('kb-red')] }, [newer])).toBeUndefined();
  });

  it('accepts an empty scope that the key names, but not one that only * permits', async () => {
    expect(await refused(caller({ teams: ['new'], user: 'eve' }), { scopes: scopes('team:new', 'user:eve', 'platform') })).toBeUndefined();
    expect(await refused(caller({ teams: ['*'] }), { scopes: scopes('team:red', 'team:blue') })).toBeUndefined();
    expect(await refused(caller({ teams: ['*'] }), { scopes: scopes('team:new') })).toBeInstanceOf(NotFound);
  });
});
