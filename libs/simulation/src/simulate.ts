import { Journal } from '@palimpsest/contracts';
import { checkLog, checkSearches, unfinished } from './checks/check-documents.ts';
import { checkReadModels } from './checks/check-read-models.ts';
import { ReferenceModel } from './checks/reference-model.ts';
import { planChaos } from './faults/chaos.ts';
import { seamsOf } from './faults/mutants.ts';
import { withoutAmbient } from './kernel/without-ambient.ts';
import { Cluster } from './nodes/cluster.ts';
import { SimulatedNode } from './nodes/node.ts';
import type { SimulationOptions } from './options.ts';
import { Client, type Fleet } from './workload/client.ts';
import { operate } from './workload/operator.ts';
import { ClientTenant } from './workload/tenant.ts';

export type SimulationOutcome = Readonly<{
  /** What happened and must not. Empty: the run was right. */
  violations: readonly string[];
  /** SHA-256 over everything that happened, in order. */
  digest: string;
  steps: number;
  simulatedMs: number;
  events: number;
  /** The last lines of the trace. */
  trace: readonly string[];
}>;

const LOOK_EVERY_MS = 1_000;
const TRACED = 4_000;
const STARTS_WITHIN_MS = 60_000;

/** One run: a cluster under load and faults, then without faults until all work is done, then after a restart of every process. */
export const simulate = (options: SimulationOptions): Promise<SimulationOutcome> =>
  withoutAmbient(async () => {
    const cluster = new Cluster(options);
    const { world } = cluster;
    let doing = 'starting';
    let isOver = false;
    runAll(cluster, (what) => {
      doing = what;
      world.note(`== ${what}`);
    })
      .catch((error: unknown) =>
        cluster.violation(`the simulation failed: ${error instanceof Error ? (error.stack ?? '') : String(error)}`),
      )
      .finally(() => (isOver = true));
    const limit = options.chaosMs + 2 * options.healWithinMs + STARTS_WITHIN_MS;
    const done = await world.run(() => isOver || cluster.violations.length > 0, limit);
    if (!done) cluster.violation(`not done within ${Math.round(world.now)} ms: ${doing}`);
    let events = 0;
    for await (const _ of cluster.log.readAll()) events++;
    return {
      violations: cluster.violations,
      digest: world.trace.digest(),
      steps: world.steps,
      simulatedMs: Math.round(world.now),
      events,
      trace: world.trace.last(TRACED),
    };
  });

const runAll = async (cluster: Cluster, begin: (what: string) => void): Promise<void> => {
  const { world, network, options } = cluster;
  const seams = seamsOf(options.mutant, cluster);
  const fleet: Fleet = {
    ingestion: ['ingestion-1', 'ingestion-2'].map((name) => new SimulatedNode(cluster, 'ingestion', name, seams)),
    query: ['query-1', 'query-2'].map((name) => new SimulatedNode(cluster, 'query', name, seams)),
    reembedding: [new SimulatedNode(cluster, 'reembedding', 'reembedding-1', seams)],
  };
  const nodes = [...fleet.ingestion, ...fleet.query, ...fleet.reembedding];
  const tenants = ['acme', 'rival'].map((name) => new ClientTenant(name, options.documentsPerTenant));
  const client = new Client(cluster, fleet, tenants);

  begin('faults');
  for (const node of nodes) node.start();
  planChaos(cluster, nodes);
  const work = Promise.all([
    ...tenants.map(async (tenant) => {
      await client.createBase(tenant);
      await Promise.all(tenant.documents.map((document) => client.change(document, options.changesPerDocument, options.chaosMs)));
    }),
    operate(cluster, fleet, client, tenants),
    client.read(options.chaosMs),
  ]);
  await world.sleep(options.chaosMs);

  begin('healing');
  network.heal();
  for (const node of nodes) {
    if (node.life) node.life.hangsUntil = 0;
    node.start();
  }
  await work;
  await quiet(cluster, fleet, begin, 'after the last fault');
  await check(cluster, fleet, client, tenants);

  begin('restarting every process');
  for (const node of nodes) node.crash(world.prng.chance(0.5) ? 'power cut' : 'kill');
  for (const node of nodes) node.start();
  await quiet(cluster, fleet, begin, 'after the restart');
  await check(cluster, fleet, client, tenants);
};

const quiet = async (cluster: Cluster, fleet: Fleet, begin: (what: string) => void, when: string): Promise<void> => {
  const until = cluster.world.now + cluster.options.healWithinMs;
  for (let last: string | undefined; ;) {
    await cluster.world.sleep(LOOK_EVERY_MS);
    const left = await unfinished(cluster, fleet);
    if (left === undefined) return;
    if (left !== last) begin(`${when}: ${left}`);
    last = left;
    if (cluster.world.now > until) return cluster.violation(`not done within ${cluster.options.healWithinMs} ms ${when}: ${left}`);
  }
};

const check = async (cluster: Cluster, fleet: Fleet, client: Client, tenants: readonly ClientTenant[]): Promise<void> => {
  const reference = await ReferenceModel.of(new Journal(cluster.log, cluster.keys), cluster.keys);
  await checkLog(cluster, tenants, reference);
  for (const node of [...fleet.ingestion, ...fleet.query, ...fleet.reembedding])
    for (const tenant of tenants) await checkReadModels(cluster, node, tenant, reference);
  await checkSearches(cluster, fleet, client, tenants);
  await quiet(cluster, fleet, () => undefined, 'after the searches');
};
