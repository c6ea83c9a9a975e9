import type { Cluster } from '../nodes/cluster.ts';
import { isCode, type Client, type Fleet } from './client.ts';
import { BASE, SCOPE, type ClientTenant } from './tenant.ts';

const PAUSED_MS = 5_000;
const REBUILD_WITHIN_MS = 30_000;

/** What an operator does meanwhile: changes the model, rebuilds read models, pauses a knowledge base. */
export const operate = async (cluster: Cluster, fleet: Fleet, client: Client, tenants: readonly ClientTenant[]): Promise<void> => {
  const { world, options } = cluster;
  const sometime = (): Promise<void> => world.sleep(world.prng.between(0.2, 0.8) * options.chaosMs);
  const swap = async (): Promise<void> => {
    await sometime();
    cluster.changeModel();
    for (const { access } of tenants)
      await client.insist(
        'swap',
        () =>
          world.prng
            .pick(fleet.reembedding)
            .request(`${access.tenant} changes its model`, ({ platform }) =>
              platform.commands.reembedScope.start(access, SCOPE, `swap-${access.tenant}`),
            ),
        (error) => isCode(error, 'Conflict'),
      );
  };
  const rebuild = async (): Promise<void> => {
    await sometime();
    await world.prng.pick(fleet.query).request('rebuild', ({ platform }) => platform.commands.rebuildReadModels.run(REBUILD_WITHIN_MS));
  };
  const pauseBase = async (): Promise<void> => {
    const { access } = world.prng.pick(tenants);
    await sometime();
    for (const change of ['pause', 'resume'] as const) {
      await client.insist(
        change,
        () =>
          world.prng
            .pick(fleet.ingestion)
            .request(`${access.tenant}: ${change}`, ({ platform }) =>
              platform.commands.knowledgeBases[change](access, BASE, `${change}-${access.tenant}`),
            ),
        (error) => isCode(error, 'Conflict'),
      );
      await world.sleep(PAUSED_MS);
    }
  };
  const times = (count: number, work: () => Promise<void>): Promise<void>[] => Array.from({ length: count }, work);
  await Promise.all([...times(options.swap ? 1 : 0, swap), ...times(options.rebuilds, rebuild), ...times(options.pauses, pauseBase)]);
};
