import type { Access } from '@palimpsest/knowledge/access';
import { IsolationBreach, type Location } from '@palimpsest/knowledge/access';
import { Forbidden, NotFound, RateLimited } from '@palimpsest/knowledge/errors';
import { command, NO_ROWS, on, query, type Caller, type Operation } from '@palimpsest/knowledge/messages';
import { tenantId, vectorScope, type TenantScope, type VectorScope } from '@palimpsest/knowledge/values';
import { Buses } from './buses.ts';

const ACME = tenantId('acme');
const [RED, BLUE] = [vectorScope('team:red'), vectorScope('team:blue')];
const MOVE: Operation = { id: 'Things.move', role: 'writer', rate: 'writes' };

type Move = Readonly<{ to: VectorScope; urgent?: boolean; result?: readonly TenantScope[] }>;

/** A command of writers, for admins if it is urgent, that names a scope and shows rows. */
class MoveThings extends command<Move, readonly TenantScope[]>(MOVE, {
  role: ({ urgent }) => (urgent === true ? 'admin' : undefined),
  scopes: ({ to }) => [to],
  shows: (rows) => rows,
}) {}
class CheckThings extends query<void, number>({ id: 'Things.check', role: 'admin', orRole: 'operator' }, NO_ROWS) {}
class ListThings extends query<void, readonly Location[]>({ id: 'Things.list', limitedByLabels: true }, { shows: (rows) => rows }) {}
class CountThings extends query<void, number>({ id: 'Things.count' }, NO_ROWS) {}

const aCaller = (over: Partial<Access> = {}): Caller => ({
  access: { tenant: ACME, teams: ['red'], roles: ['writer'], actor: 'key:1', ...over },
  correlationId: 'c1',
});

/** A buses that writes down what it does. `allowed`: requests that the rate limit admits. */
const someBuses = (allowed = 10) => {
  const steps: string[] = [];
  const buses = new Buses(
    [
      on(MoveThings, ({ access, correlationId, input: { result = [] } }) => {
        steps.push(`use case for ${access.actor} in ${correlationId}`);
        return result;
      }),
      on(CountThings, async () => 7),
      on(CheckThings, () => 8),
    ],
    {
      request: async ({ actor }, kind) => {
        steps.push(`${kind} of ${actor}`);
        if (steps.filter((step) => step.startsWith(kind)).length > allowed) throw new RateLimited('too many', 1);
      },
    },
  );
  return { buses, steps };
};

describe('the pipeline around the buses', () => {
  it('counts the request once, then runs the use case and returns its result', async () => {
    const { buses, steps } = someBuses();
    const rows = [{ tenant: ACME, scope: RED }];
    expect(await buses.execute(new MoveThings(aCaller(), { to: RED, result: rows }))).toBe(rows);
    expect(steps).toEqual(['writes of key:1', 'use case for key:1 in c1']);
  });

  it('returns the result of a query with its type, and counts nothing without a rate limit', async () => {
    const { buses, steps } = someBuses();
    const count: number = await buses.execute(new CountThings(aCaller({ roles: [] })));
    expect([count, steps]).toEqual([7, []]);
  });

  it('refuses a caller without the role before the request is counted', async () => {
    const { buses, steps } = someBuses();
    await expect(buses.execute(new MoveThings(aCaller({ roles: ['reader'] }), { to: BLUE }))).rejects.toThrow(Forbidden);
    expect(steps).toEqual([]);
  });

  it('accepts either of two roles, and names both to all others', async () => {
    const { buses } = someBuses();
    for (const role of ['admin', 'operator'] as const) expect(await buses.execute(new CheckThings(aCaller({ roles: [role] })))).toBe(8);
    await expect(buses.execute(new CheckThings(aCaller({ roles: ['writer'] })))).rejects.toThrow('requires the role "admin" or "operator"');
  });

  it('refuses a caller without the role that the input requires', async () => {
    const { buses, steps } = someBuses();
    await expect(buses.execute(new MoveThings(aCaller(), { to: RED, urgent: true }))).rejects.toThrow('requires the role "admin"');
    await buses.execute(new MoveThings(aCaller({ roles: ['admin'] }), { to: RED, urgent: true }));
    expect(steps).toHaveLength(2);
  });

  it('refuses a key that requires labels before the request is counted, unless the operation is limited by them', async () => {
    const { buses, steps } = someBuses();
    const limited = aCaller({ requiredLabels: { department: ['hr'] } });
    for (const message of [new MoveThings(limited, { to: RED }), new CountThings(limited)])
      await expect(buses.execute<unknown>(message)).rejects.toThrow('the API key is for documents with department=hr only');
    expect(steps).toEqual([]);
    const listing = new Buses([on(ListThings, () => [{ scope: RED, labels: { department: 'hr' } }])], { request: async () => undefined });
    expect(await listing.execute(new ListThings(limited))).toHaveLength(1);
    const leaking = new Buses([on(ListThings, () => [{ scope: RED, labels: {} }])], { request: async () => undefined });
    await expect(leaking.execute(new ListThings(limited))).rejects.toThrow(IsolationBreach);
  });

  it('refuses a request beyond the rate limit before it looks at scopes', async () => {
    const { buses, steps } = someBuses(1);
    await buses.execute(new MoveThings(aCaller(), { to: RED }));
    await expect(buses.execute(new MoveThings(aCaller(), { to: BLUE }))).rejects.toThrow(RateLimited);
    expect(steps.slice(2)).toEqual(['writes of key:1']);
  });

  it('does not count messages of the process itself, and checks everything else', async () => {
    const { buses, steps } = someBuses(0);
    await buses.execute(new MoveThings({ ...aCaller(), internal: true }, { to: RED }));
    await expect(buses.execute(new MoveThings({ ...aCaller(), internal: true }, { to: BLUE }))).rejects.toThrow(NotFound);
    expect(steps).toEqual(['use case for key:1 in c1']);
  });

  it.each(['team:blue', 'team:nil', 'user:someone'])(
    'refuses the scope %s as one that does not exist, before the use case',
    async (scope) => {
      const { buses, steps } = someBuses();
      const refused = buses.execute(new MoveThings(aCaller(), { to: vectorScope(scope) }));
      await expect(refused).rejects.toMatchObject({ code: 'NotFound', message: new NotFound('scope', scope).message });
      expect(steps).toEqual(['writes of key:1']);
    },
  );

  it.each([
    ['another scope', { tenant: ACME, scope: BLUE }],
    ['another tenant', { tenant: tenantId('other'), scope: RED }],
  ])('refuses a result with a row of %s', async (_, foreign) => {
    const { buses } = someBuses();
    const sent = buses.execute(new MoveThings(aCaller(), { to: RED, result: [{ tenant: ACME, scope: RED }, foreign] }));
    await expect(sent).rejects.toThrow(IsolationBreach);
  });

  it('passes on the errors of the use case', async () => {
    const failing = new Buses([on(CountThings, () => Promise.reject(new NotFound('thing', 'a')))], { request: async () => undefined });
    await expect(failing.execute(new CountThings(aCaller()))).rejects.toThrow(NotFound);
  });
});

describe('a message', () => {
  it('does not compile without a description, or as a query that does not say which rows it shows', () => {
    // @ts-expect-error the description is missing
    expect(() => command<void, void>()).toBeInstanceOf(Function);
    // @ts-expect-error `shows` is missing
    expect(() => query<void, void>({ id: 'Things.list' })).toBeInstanceOf(Function);
  });

  it('is refused with two handlers', () => {
    const twice = [on(CountThings, () => 1), on(CountThings, () => 2)];
    expect(() => new Buses(twice, { request: async () => undefined })).toThrow('the query CountThings has two handlers');
  });

  it('is refused without a handler', async () => {
    const { buses } = someBuses();
    class DropThings extends command<void, void>({ id: 'Things.drop' }) {}
    expect([buses.handles(MOVE), buses.handles(DropThings.operation)]).toEqual([true, false]);
    await expect(buses.execute(new DropThings(aCaller()))).rejects.toThrow('DropThings');
  });
});
