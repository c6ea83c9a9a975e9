import 'reflect-metadata';
import { z } from 'zod';
import { route } from '@palimpsest/contracts/http';
import { contractsOf, Route, type Call } from './route.ts';

const about = { service: 'query', tag: 'Operation', summary: 'Get a thing', description: 'For this test.' } as const;
const getThing = route({
  ...about,
  id: 'Things.get',
  method: 'get',
  path: '/v1/things/{id}',
  params: z.object({ id: z.string() }),
  status: 200,
  response: z.object({ id: z.string(), size: z.number() }),
});
const listThings = route({
  ...about,
  id: 'Things.list',
  method: 'get',
  path: '/v1/things',
  status: 200,
  response: z.object({ things: z.array(z.object({ id: z.string(), note: z.unknown().optional() })) }),
});
const dropThing = route({
  ...about,
  id: 'Things.drop',
  method: 'delete',
  path: '/v1/things/{id}',
  params: z.object({ id: z.string() }),
  status: 204,
});
const greet = route({
  ...about,
  id: 'Things.greet',
  method: 'get',
  path: '/v1/greeting',
  public: true,
  status: 200,
  response: z.object({ hello: z.string() }),
});

class Things {
  @Route(getThing)
  async get({ params }: Call<typeof getThing>) {
    return { id: params.id, size: 1 };
  }

  @Route(dropThing)
  async drop(): Promise<void> {}

  @Route(listThings)
  list() {
    return { things: [{ id: 'a', note: { anything: 1 } }, { id: 'b' }] };
  }

  @Route(greet)
  greet() {
    return { hello: 'you' };
  }
}

/** Each of these must not compile; nothing runs them. */
class Refused {
  // @ts-expect-error -- the response lacks `size`
  @Route(getThing)
  async missing({ params }: Call<typeof getThing>) {
    return { id: params.id };
  }

  // @ts-expect-error -- `size` is a number in the contract
  @Route(getThing)
  mistyped() {
    return { id: 'a', size: 'large' };
  }

  // @ts-expect-error -- the contract does not declare `tenant`
  @Route(getThing)
  talkative({ access }: Call<typeof getThing>) {
    return { id: 'a', size: 1, tenant: access.tenant };
  }

  // @ts-expect-error -- nor in a list
  @Route(listThings)
  talkativeList({ access }: Call<typeof listThings>) {
    return { things: [{ id: 'a', tenant: access.tenant }] };
  }

  // @ts-expect-error -- the contract has no response body
  @Route(dropThing)
  async chatty() {
    return { dropped: true };
  }

  // @ts-expect-error -- the request of another route
  @Route(getThing)
  stranger({ params }: Readonly<{ params: Readonly<{ name: string }> }>) {
    return { id: params.name, size: 1 };
  }

  // @ts-expect-error -- a public route has no caller
  @Route(greet)
  whoIsThere({ access }: Call<typeof getThing>) {
    return { hello: access.tenant };
  }
}

describe('a handler of a route', () => {
  it('is found by its contract', () => expect(contractsOf(Things)).toEqual([getThing, dropThing, listThings, greet]));
  it('does not compile unless it takes the request and returns the response of the contract', () =>
    expect(contractsOf(Refused)).toHaveLength(7));
});
