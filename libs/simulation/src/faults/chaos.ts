import type { Cluster } from '../nodes/cluster.ts';
import type { SimulatedNode } from '../nodes/node.ts';
import type { Server } from '../servers/network.ts';

type Faulty = Pick<SimulatedNode, 'crash' | 'start' | 'hang' | 'life'>;

const MAX_DOWN_MS = 5_000;
const MAX_HANG_MS = 20_000;
const MAX_OUTAGE_MS = 4_000;
const SERVERS: readonly Server[] = ['log', 'bus', 'blobs', 'checkpoints', 'leases'];
/** The calls that change something: a fault is worth most around them. */
const CHANGES = /^(append|publish|set|put) /;
const AROUND_MS = 10;
/** Share of the crashes and hangs that hit the leader of the relay. */
const OF_LEADER = 0.4;

/** Plans the crashes, hangs and outages of a run. Each is one that the platform must recover from. */
export const planChaos = (cluster: Cluster, nodes: readonly Faulty[]): void => {
  const { world, network, leases, options } = cluster;
  const { prng } = world;
  const pickNode = (): Faulty => {
    const leader = nodes.find(({ life }) => life !== undefined && leases.holds('relay', life));
    return leader !== undefined && prng.chance(OF_LEADER) ? leader : prng.pick(nodes);
  };
  const sometime = (): number => prng.between(0, options.chaosMs);
  for (let i = 0; i < options.crashes; i++) {
    const [kind, downMs] = [prng.chance(options.powerCuts) ? 'power cut' : 'kill', prng.between(50, MAX_DOWN_MS)] as const;
    world.plan(sometime(), '', () => {
      const node = pickNode();
      aroundNextChange(cluster, node, () => {
        node.crash(kind);
        world.plan(downMs, '', () => node.start());
      });
    });
  }
  for (let i = 0; i < options.hangs; i++) {
    const ms = prng.between(500, MAX_HANG_MS);
    world.plan(sometime(), '', () => {
      const node = pickNode();
      aroundNextChange(cluster, node, () => node.hang(ms));
    });
  }
  for (let i = 0; i < options.outages; i++) {
    const [server, ms] = [prng.pick(SERVERS), prng.between(200, MAX_OUTAGE_MS)];
    world.plan(sometime(), '', () => network.outage(server, ms));
  }
};

/** Half of the faults happen at once, the others a few milliseconds after the process next changes something. */
const aroundNextChange = ({ world, network }: Cluster, node: Faulty, fault: () => void): void => {
  const { life } = node;
  if (life === undefined || world.prng.chance(0.5)) return fault();
  life.onCall = (_, label) => {
    if (!CHANGES.test(label)) return;
    life.onCall = undefined;
    if (network.isFaulty) world.plan(world.prng.between(0, AROUND_MS), '', () => (life.isOver || !network.isFaulty ? undefined : fault()));
  };
};
