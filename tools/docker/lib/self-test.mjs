/** Proves that the checks find what they are for: each fault is planted in a copy of the files, and must be reported. */

/* eslint-disable no-template-curly-in-string -- these are variables of Compose and Caddy, searched literally */
/** Name of the text, the text to replace, its replacement, and a part of the expected finding. */
const FAULTS = [
  ['compose', 'qdrant/qdrant:v1.16.3-unprivileged', 'qdrant/qdrant:latest', 'the tag latest moves'],
  ['compose', 'apache/kafka:4.3.1', 'apache/kafka', 'has no tag'],
  ['compose', 'redis:8.8.0-alpine', 'redis:8', 'does not name a release'],
  ['compose', "'127.0.0.1:${GRAFANA_PORT:-3000}:3000'", "'${GRAFANA_PORT:-3000}:3000'", 'not published on loopback'],
  [
    'compose',
    "volumes: ['kafka-data:/var/lib/kafka/data']",
    "volumes: ['kafka-datum:/var/lib/kafka/data']",
    'the volume kafka-datum is not declared',
  ],
  ['compose', 'PALIMPSEST_KAFKA_BROKERS:', 'PALIMPSEST_KAFKA_BROKER:', 'PALIMPSEST_KAFKA_BROKER is not a setting'],
  ['compose', "PALIMPSEST_VECTOR_SHARES: '16'", "PALIMPSEST_VECTOR_SHARES: '1000'", 'invalid environment'],
  [
    'compose',
    'PALIMPSEST_MASTER_KEY: ${PALIMPSEST_MASTER_KEY:?see docker/.env.example}',
    `PALIMPSEST_MASTER_KEY: '${'ab'.repeat(32)}'`,
    'is hard-coded',
  ],
  ['compose', 'stop_grace_period: 20s', 'stop_grace_period: 5s', 'stop_grace_period must be longer'],
  ['compose', 'x-no-healthcheck: its image', 'x-reason: its image', 'needs a health check, or a reason'],
  ['compose', './gateway/Caddyfile:', './gateway/nginx.conf:', './gateway/nginx.conf does not exist'],
  ['compose', 'apps/query/dist/main.js', 'apps/queries/dist/main.js', 'the app queries does not exist'],
  ['compose', '  PALIMPSEST_REDIS_URL:\n', '  PALIMPSEST_REDIS_URL: no-address\n', 'invalid environment'],
  ['compose', 'networks:\n', 'networks: [\n', 'docker/compose.yaml: '],
  ['compose', 'PALIMPSEST_QDRANT_URL: http://qdrant:6333', 'PALIMPSEST_QDRANT_URL: http://quadrant:6333', 'names quadrant'],
  ['prometheus', 'port: 7333', 'port: 7330', 'it listens on 7333'],
  ['dashboards', 'path: /', 'path: /elsewhere/', 'which is not mounted'],
  ['example', 'GRAFANA_ADMIN_PASSWORD=', 'GRAFANA_PASSWORD=', 'does not document GRAFANA_ADMIN_PASSWORD'],
  ['example', 'PALIMPSEST_ADMIN_KEY=\n', 'PALIMPSEST_ADMIN_KEY=plk_abc\n', 'contains a value of PALIMPSEST_ADMIN_KEY'],
  ['caddyfile', ' /v1/api-keys/*', '', 'no service serves /v1/api-keys/{keyId}'],
  ['guide', ', `/v1/usage`', '', 'no service serves /v1/usage'],
  ['guide', '`/v1/scopes/*`', '`/v1/scopes/*`, `/v1/search`', 'is routed to reembedding, which does not serve it'],
  ['caddyfile', 'import to {$REEMBEDDING_UPSTREAMS}', 'import to {$QUERY_UPSTREAMS}', 'is routed to query, which does not serve it'],
  ['caddyfile', ' /openapi.json', ' /openapi.json /metrics', '/metrics must not be public'],
  ['dockerfile', 'USER 1000:1000', 'USER root', 'non-root user with a numeric id'],
  ['dockerfile', 'node:24.21.0-bookworm-slim', 'node:24.20.0-bookworm-slim', 'is not the slim Debian image'],
  ['dockerfile', 'npm rebuild node @parcel/watcher', 'npm rebuild', 'install scripts of'],
  ['ignore', '**/.env\n', '', 'does not exclude **/.env'],
  ['query', '/health/live, port: http', '/health/live, port: htp', 'which does not exist'],
  ['query', 'serviceName: query-replicas', 'serviceName: query', 'is not headless'],
  [
    'query',
    'matchLabels: { app.kubernetes.io/name: palimpsest, app.kubernetes.io/component: query }',
    'matchLabels: { app.kubernetes.io/component: queries }',
    'the selector does not match',
  ],
  ['ingestion', 'livenessProbe:', 'lifenessProbe:', 'livenessProbe is missing'],
  ['ingestion', 'terminationGracePeriodSeconds: 45', 'terminationGracePeriodSeconds: 5', 'must be more than'],
  ['ingestion', 'configMapRef: { name: palimpsest }', 'configMapRef: { name: settings }', 'ConfigMap settings does not exist'],
  ['ingestion', 'limits: { memory: 3Gi }', 'limits: {}', 'a memory limit'],
  ['reembedding', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'security context is not restricted'],
  ['ingress', 'path: /v1/scopes', 'path: /v1/scope', 'no service serves /v1/scopes/{scope}/reembed'],
  ['ingress', 'name: reembedding', 'name: reembeddings', 'which does not exist'],
  ['ingress', 'path: /v1/audit, pathType: Exact', 'path: /v1, pathType: Prefix', '/v1/admin/rebuild must not be public'],
  ['ingress', 'path: /health, pathType', 'path: /metrics, pathType', '/metrics must not be public'],
  ['network-policy', '[Ingress, Egress]', '[Ingress]', 'does not restrict Egress'],
  ['network-policy', 'matchLabels: { kubernetes.io/metadata.name: ingress-nginx }', 'matchExpressions: []', 'allows ingress from any peer'],
  ['network-policy', '        - podSelector: {}\n', '        - ipBlock: { cidr: 0.0.0.0/0 }\n', 'allows egress to any peer'],
  ['network-policy', 'port: 9092', 'port: 9093', 'egress to port 9092 of PALIMPSEST_KAFKA_BROKERS is blocked'],
  ['network-policy', 'port: 4318', 'port: 25', 'allows egress to port 25'],
  ['settings', 'PALIMPSEST_NAMESPACE=palimpsest', 'PALIMPSEST_NAMESPACE=Palimpsest', 'invalid environment'],
  ['secret', 'PALIMPSEST_EVENTSTORE_URL:', 'EVENTSTORE_URL:', 'invalid environment'],
  ['ingestion', 'name: palimpsest_queue_depth_documents', 'name: palimpsest_queue_depth', 'no process reports palimpsest_queue_depth'],
  ['scaledObject', 'palimpsest_queue_depth_documents', 'palimpsest_queue_length', 'no process reports palimpsest_queue_length'],
  ['scaledObject', 'name: ingestion }', 'name: ingest }', 'scales Deployment ingest'],
];
/* eslint-enable no-template-curly-in-string */

/** One line for each fault that was not found; `count` is the number of planted faults. */
export const selfTest = (texts, findings) => {
  const unnoticed = FAULTS.flatMap(([name, from, to, expected]) => {
    if (!texts[name].includes(from)) return [`self-test: ${name} does not contain "${from}" any more; update the list of faults`];
    const found = findings({ ...texts, [name]: texts[name].replaceAll(from, () => to) });
    return found.some((finding) => finding.includes(expected)) ? [] : [`self-test: "${from}" → "${to}" in ${name} was not found`];
  });
  return { count: FAULTS.length, unnoticed };
};
