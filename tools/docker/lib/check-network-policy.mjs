/** Checks that the network policy admits only named peers, and allows egress only to the addresses in the settings. One line per finding. */

const FILE = 'deploy/kustomize/base/network-policy.yaml';
const DNS = 53;
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443, 'redis:': 6379, 'rediss:': 6379, 'esdb:': 2113 };
/** Settings that hold the address of a server. */
const ADDRESSES = [
  'PALIMPSEST_EVENTSTORE_URL',
  'PALIMPSEST_QDRANT_URL',
  'PALIMPSEST_S3_ENDPOINT',
  'PALIMPSEST_REDIS_URL',
  'PALIMPSEST_OTLP_ENDPOINT',
];

const portOf = (address) => {
  const { port, protocol } = new URL(address);
  return port === '' ? DEFAULT_PORTS[protocol] : Number(port);
};

/** Name of the setting to its ports. */
const portsIn = (environment) => [
  ...ADDRESSES.filter((name) => environment[name]).map((name) => [name, portOf(environment[name])]),
  ...(environment.PALIMPSEST_KAFKA_BROKERS ?? '')
    .split(',')
    .filter((broker) => broker !== '')
    .map((broker) => ['PALIMPSEST_KAFKA_BROKERS', Number(broker.split(':').at(-1))]),
];

/** A peer without a selector matches every address; `podSelector: {}` matches every pod of the namespace. */
const selectsAll = ({ matchLabels = {}, matchExpressions = [] }) => Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
const isEverybody = ({ ipBlock, namespaceSelector }) =>
  /\/0$/.test(ipBlock?.cidr ?? '') || (namespaceSelector !== undefined && selectsAll(namespaceSelector));
const isOpen = (peers) => !Array.isArray(peers) || peers.length === 0 || peers.some(isEverybody);

/**
 * @param {object | undefined} policy
 * @param {Record<string, string>} environment every setting of a service, secrets included
 */
export const checkNetworkPolicy = (policy, environment) => {
  if (policy === undefined) return [`${FILE}: contains no NetworkPolicy`];
  const { policyTypes = [], ingress = [], egress = [] } = policy.spec;
  const needed = [['DNS', DNS], ...portsIn(environment)];
  const allowed = new Set(egress.flatMap(({ ports = [] }) => ports.map(({ port }) => port)));
  return [
    ...['Ingress', 'Egress'].filter((type) => !policyTypes.includes(type)).map((type) => `${FILE}: does not restrict ${type}`),
    ...(ingress.some(({ from }) => isOpen(from)) ? [`${FILE}: allows ingress from any peer`] : []),
    ...(egress.some(({ to, ports }) => isOpen(to) || !ports?.length) ? [`${FILE}: allows egress to any peer or port`] : []),
    ...needed.filter(([, port]) => !allowed.has(port)).map(([name, port]) => `${FILE}: egress to port ${port} of ${name} is blocked`),
    ...[...allowed]
      .filter((port) => !needed.some(([, each]) => each === port))
      .map((port) => `${FILE}: allows egress to port ${port}, which no setting names`),
  ];
};
