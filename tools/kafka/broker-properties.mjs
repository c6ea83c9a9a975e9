/**
 * The settings of one node. With three nodes, replication and in-sync replicas are those of production (3 and 2).
 * Timeouts are short, so that a test sees a new leader after one to three seconds.
 */
export const brokerProperties = ({ nodes }, id, data) => {
  const { port, controllerPort } = nodes.find((node) => node.id === id);
  const replicas = Math.min(3, nodes.length);
  const inSync = replicas > 1 ? 2 : 1;
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': nodes.map((node) => `${node.id}@127.0.0.1:${node.controllerPort}`).join(','),
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    'broker.heartbeat.interval.ms': 200,
    'broker.session.timeout.ms': 1_500,
    'controller.quorum.election.timeout.ms': 500,
    'controller.quorum.fetch.timeout.ms': 1_000,
    'replica.lag.time.max.ms': 2_000,
    'num.io.threads': 2,
    'num.network.threads': 2,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
};
