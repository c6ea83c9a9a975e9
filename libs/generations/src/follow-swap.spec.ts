import type { Access } from '@palimpsest/knowledge/access';
import { Forbidden, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { generationId, recipeWith, tenantId, type Position } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, MINI, SCOPE, World } from '../test/world.ts';
import { FollowSwap, FollowSwaps, type Batches, type SwapMessage } from './follow-swap.ts';

const { scope } = SCOPE;
const aWorld = async () => {
  const world = await new World(aFakeEmbeddingProvider({ version: MINI }), aFakeEmbeddingProvider({ version: HUGE })).begin();
  await world.scope({ type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover: 'manual' });
  return world;
};
const streamOf = (world: World, access: Access = ADMIN) =>
  new Buses(new FollowSwaps(world.swaps).handlers, UNLIMITED).execute(new FollowSwap({ access, correlationId: 'c' }, { scope }));

/** The log from a position on, and what happens before each further batch. It does not end on its own. */
async function* batches(world: World, after: Position, ...steps: readonly (() => Promise<unknown>)[]): Batches {
  let from = after;
  for (const step of steps) {
    await step();
    const events = [];
    for await (const event of world.log.readAll({ from })) events.push(event);
    from = events.at(-1)?.position ?? from;
    yield { events, upTo: from };
  }
  throw new Error('no further batch was expected');
}
const take = async (messages: AsyncGenerator<SwapMessage>): Promise<readonly (string | undefined)[]> => {
  const states = [];
  for await (const { data } of messages) states.push(data?.state);
  return states;
};

describe('the stream of a swap', () => {
  it('begins with its state, has one message for each change, and ends with the swap', async () => {
    const world = await aWorld();
    const head = await world.log.head();
    const follow = await streamOf(world);
    const steps = [
      () =>
        world.scope({ type: 'RecordRange', generation: generationId('g2'), range: 3, counts: { chunks: 1, withoutVector: 0, tokens: 1 } }),
      () => world.scope({ type: 'Pause', reason: 'later', by: 'person' }),
      () => world.indexed('other', ['a document that is none of its business']),
      () => world.scope({ type: 'Cancel' }),
    ];
    expect(await take(follow(batches(world, head, ...steps), head, false))).toEqual(['building', 'building', 'paused', undefined, 'idle']);
  });

  it('does not repeat the state to a caller that continues, unless the swap ended meanwhile', async () => {
    const world = await aWorld();
    const head = await world.log.head();
    const resumed = () =>
      streamOf(world).then((follow) =>
        follow(
          batches(world, head, () => world.scope({ type: 'Cancel' })),
          head,
          true,
        ),
      );
    expect(await take(await resumed())).toEqual(['idle']);
    expect(await take(await resumed())).toEqual(['idle']);
  });

  it('is refused to callers who may not read the scope, before it begins', async () => {
    const world = await aWorld();
    await expect(streamOf(world, { ...ADMIN, teams: ['blue'] })).rejects.toThrow(NotFound);
    await expect(streamOf(world, { ...ADMIN, tenant: tenantId('other') })).rejects.toThrow(NotFound);
    await expect(streamOf(world, { ...ADMIN, roles: ['operator'] })).rejects.toThrow(Forbidden);
  });
});
