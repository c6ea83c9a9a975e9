import { PauseKnowledgeBase, ResumeKnowledgeBase } from '@palimpsest/ingestion';
import { Rebuild } from '@palimpsest/projections';
import { StartReembedding } from '@palimpsest/generations';
import type { Cluster } from '../nodes/cluster.ts';
import { isCode, type Client, type Fleet } from './client.ts';
import { BASE, SCOPE, type ClientTenant } from './tenant.ts';

const PAUSED_MS = 5_000;

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
              platform.buses.execute(new StartReembedding({ access, correlationId: `swap-${access.tenant}` }, { scope: SCOPE })),
            ),
        (error) => isCode(error, 'Conflict'),
      );
  };
  const rebuild = async (): Promise<void> => {
    await sometime();
    const access = { ...world.prng.pick(tenants).access, roles: ['operator'] as const };
    await world.prng
      .pick(fleet.query)
      .request('rebuild', ({ platform }) => platform.buses.execute(new Rebuild({ access, correlationId: 'rebuild' }, {})));
  };
  const pauseBase = async (): Promise<void> => {
    const { access } = world.prng.pick(tenants);
    await sometime();
    for (const Change of [PauseKnowledgeBase, ResumeKnowledgeBase]) {
      const change = Change.name;
      await client.insist(
        change,
        () =>
          world.prng
            .pick(fleet.ingestion)
            .request(`${access.tenant}: ${change}`, ({ platform }) =>
              platform.buses.execute(new Change({ access, correlationId: `${change}-${access.tenant}` }, BASE)),
            ),
        (error) => isCode(error, 'Conflict'),
      );
      await world.sleep(PAUSED_MS);
    }
  };
  const times = (count: number, work: () => Promise<void>): Promise<void>[] => Array.from({ length: count }, work);
  await Promise.all([...times(options.swap ? 1 : 0, swap), ...times(options.rebuilds, rebuild), ...times(options.pauses, pauseBase)]);
};
