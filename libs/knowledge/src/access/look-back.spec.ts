import { Forbidden } from '../errors.ts';
import { IsolationBreach } from './assert-visible.ts';
import type { Access } from './access.ts';
import { lookBack, type Looking } from './look-back.ts';
import type { CatalogView, Moment, PastViews } from '../ports/read-view.ts';
import type { CatalogReader } from '../ports/catalog/catalog-reader.ts';
import type { PermittedScope } from './access.ts';
import { asOf } from '../values/as-of.ts';
import { knowledgeBaseId } from '../values/ids.ts';
import { position } from '../values/position.ts';
import { vectorScope } from '../values/scope.ts';
import { tenantId } from '../values/tenant.ts';

const ANN: Access = { tenant: tenantId('acme'), teams: ['red'], roles: ['reader'], actor: 'key-1' };

/** A catalog with these scopes, each with one knowledge base of its name. */
const catalogOf = (...names: string[]): CatalogReader =>
  ({
    scopes: async () => names.map((name) => ({ scope: { tenant: ANN.tenant, scope: vectorScope(name) }, generations: [] })),
    knowledgeBase: async (readable: readonly PermittedScope[], id: string) =>
      readable.some(({ scope }) => names.includes(scope) && `kb-${scope.replace('team:', '')}` === id)
        ? { id, scope: vectorScope(id.replace('kb-', 'team:')) }
        : undefined,
  }) as unknown as CatalogReader;

const viewOf = (catalog: CatalogReader, at: bigint): CatalogView => ({ catalog, position: () => position(at), serving: () => true });

const THEN = catalogOf('team:red');
const TODAY = catalogOf('team:red', 'deployment', 'team:blue');

const lookingAt = async (looking: Omit<Looking, 'access'>, access = ANN) => {
  const asked: Moment[] = [];
  const pastViews: PastViews<CatalogView> = {
    at: (moment, use) => {
      asked.push(moment);
      return use(viewOf(THEN, 7n));
    },
  };
  const looked = await lookBack({ views: { live: () => viewOf(TODAY, 9n) }, pastViews }, { access, ...looking }, async (view, now) => [
    view.position(),
    now,
  ]);
  return { ...looked, asked };
};

describe('A query in time', () => {
  it('reads the live view without a moment', async () => {
    expect(await lookingAt({})).toEqual({ result: [9n, undefined], asked: [] });
  });

  it('reads the view of a position, knows the catalog of today, and says where it looked', async () => {
    const looked = await lookingAt({ asOf: asOf('7'), scopes: [vectorScope('team:red')] });
    expect(looked.result).toEqual([7n, TODAY]);
    expect(looked.asked).toEqual([{ tenant: ANN.tenant, asOf: { position: 7n }, scopes: ['team:red'] }]);
    expect(looked.asOf).toEqual({ position: 7n, notYet: [] });
  });

  it('has no past for a key that requires labels, which documents did not have then or do not have today', async () => {
    const limited = { ...ANN, requiredLabels: { department: ['hr'] } };
    await expect(lookingAt({ asOf: asOf('7') }, limited)).rejects.toThrow(Forbidden);
    expect((await lookingAt({}, limited)).result).toEqual([9n, undefined]);
  });

  it('repeats the time that was asked for', async () => {
    const looked = await lookingAt({ asOf: asOf('2026-11-20T09:30:00+01:00') });
    expect(looked.asOf).toMatchObject({ position: 7n, time: '2026-11-20T08:30:00.000Z' });
  });

  it('says which scopes and knowledge bases did not exist yet, but none that the caller may not read', async () => {
    const { asOf: all } = await lookingAt({ asOf: asOf('7') });
    expect(all?.notYet).toEqual([{ kind: 'scope', id: 'deployment', detail: 'the scope "deployment" did not exist yet at position 7' }]);
    const named = ['kb-red', 'kb-deployment', 'kb-blue', 'kb-none'].map((id) => knowledgeBaseId(id));
    const { asOf: one } = await lookingAt({ asOf: asOf('7'), scopes: [vectorScope('team:red')], knowledgeBases: named });
    expect(one?.notYet).toEqual([
      { kind: 'knowledgeBase', id: 'kb-deployment', detail: 'the knowledge base "kb-deployment" did not exist yet at position 7' },
    ]);
  });

  it('passes on failures', async () => {
    const pastViews: PastViews<CatalogView> = { at: (_, use) => use(viewOf(THEN, 7n)) };
    const failing = lookBack({ views: { live: () => viewOf(TODAY, 9n) }, pastViews }, { access: ANN, asOf: asOf('7') }, async () => {
      throw new IsolationBreach('of the query');
    });
    await expect(failing).rejects.toThrow(IsolationBreach);
  });
});
