/** Proves that the checks find what they are there for: each fault is put into a copy of the files, and must be reported. */

/* eslint-disable no-template-curly-in-string -- these are Compose's and Caddy's variables, to be found as they are written */
/** Name of the text, what is replaced everywhere by what, and a part of the finding that must come of it. */
const FAULTS = [
  ['compose', 'qdrant/qdrant:v1.16.3-unprivileged', 'qdrant/qdrant:latest', 'the tag latest moves'],
  ['compose', 'apache/kafka:4.3.1', 'apache/kafka', 'has no tag'],
  ['compose', 'redis:8.8.0-alpine', 'redis:8', 'names no release'],
  ['compose', "'127.0.0.1:${GRAFANA_PORT:-3000}:3000'", "'${GRAFANA_PORT:-3000}:3000'", 'not published on loopback'],
  ['compose', "volumes: ['kafka-data:/var/lib/kafka/data']", "volumes: ['kafka-datum:/var/lib/kafka/data']", 'the volume kafka-datum is not declared'],
  ['compose', 'PALIMPSEST_KAFKA_BROKERS:', 'PALIMPSEST_KAFKA_BROKER:', 'PALIMPSEST_KAFKA_BROKER is no setting'],
  ['compose', "PALIMPSEST_VECTOR_SHARES: '16'", "PALIMPSEST_VECTOR_SHARES: '1000'", 'refuses its environment'],
  ['compose', 'PALIMPSEST_MASTER_KEY: ${PALIMPSEST_MASTER_KEY:?see docker/.env.example}', `PALIMPSEST_MASTER_KEY: '${'ab'.repeat(32)}'`, 'is written down'],
  ['compose', 'stop_grace_period: 20s', 'stop_grace_period: 5s', 'stop_grace_period must be longer'],
  ['compose', 'x-no-healthcheck: its image', 'x-reason: its image', 'neither a health check nor a reason'],
  ['compose', './gateway/Caddyfile:', './gateway/nginx.conf:', 'there is no ./gateway/nginx.conf'],
  ['compose', 'apps/query/dist/main.js', 'apps/queries/dist/main.js', 'there is no app queries'],
  ['compose', '  PALIMPSEST_REDIS_URL:\n', '  PALIMPSEST_REDIS_URL: no-address\n', 'refuses its environment'],
  ['compose', 'networks:\n', 'networks: [\n', 'docker/compose.yaml: '],
  ['compose', 'PALIMPSEST_QDRANT_URL: http://qdrant:6333', 'PALIMPSEST_QDRANT_URL: http://quadrant:6333', 'names quadrant'],
  ['prometheus', 'port: 7333', 'port: 7330', 'it listens on 7333'],
  ['dashboards', 'path: /', 'path: /elsewhere/', 'where none are mounted'],
  ['example', 'GRAFANA_ADMIN_PASSWORD=', 'GRAFANA_PASSWORD=', 'does not tell of GRAFANA_ADMIN_PASSWORD'],
  ['example', 'PALIMPSEST_ADMIN_KEY=\n', 'PALIMPSEST_ADMIN_KEY=plk_abc\n', 'holds a value of PALIMPSEST_ADMIN_KEY'],
  ['caddyfile', ' /v1/api-keys/*', '', 'nothing serves /v1/api-keys/{keyId}'],
  ['guide', ', `/v1/usage`', '', 'nothing serves /v1/usage'],
  ['guide', '`/v1/scopes*`', '`/v1/scopes*`, `/v1/search`', 'goes to reembedding, which does not know it'],
  ['caddyfile', 'import to {$REEMBEDDING_UPSTREAMS}', 'import to {$QUERY_UPSTREAMS}', 'goes to query, which does not know it'],
  ['caddyfile', ' /openapi.json', ' /openapi.json /metrics', '/metrics is served to everybody'],
  ['dockerfile', 'USER 1000:1000', 'USER root', 'numbered user other than root'],
  ['dockerfile', 'node:24.21.0-bookworm-slim', 'node:24.20.0-bookworm-slim', 'is not the slim Debian image'],
  ['dockerfile', 'npm rebuild node @parcel/watcher', 'npm rebuild', 'install scripts of'],
  ['ignore', '**/.env\n', '', 'lets **/.env in'],
  ['query', '/health/live, port: http', '/health/live, port: htp', 'which there is not'],
  ['query', 'serviceName: query-replicas', 'serviceName: query', 'is no headless one'],
  ['query', 'matchLabels: { app.kubernetes.io/name: palimpsest, app.kubernetes.io/component: query }', 'matchLabels: { app.kubernetes.io/component: queries }', 'its selector does not fit'],
  ['ingestion', 'livenessProbe:', 'lifenessProbe:', 'has no livenessProbe'],
  ['ingestion', 'terminationGracePeriodSeconds: 45', 'terminationGracePeriodSeconds: 5', 'must be more than'],
  ['ingestion', 'configMapRef: { name: palimpsest }', 'configMapRef: { name: settings }', 'there is no ConfigMap settings'],
  ['ingestion', 'limits: { memory: 3Gi }', 'limits: {}', 'a limit of memory'],
  ['reembedding', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', 'security context is not restricted'],
  ['ingress', 'path: /v1/scopes', 'path: /v1/scope', 'nothing serves /v1/scopes/{scope}/reembed'],
  ['ingress', 'name: reembedding', 'name: reembeddings', 'which there is not'],
  ['ingress', 'path: /v1/audit, pathType: Exact', 'path: /v1, pathType: Prefix', '/v1/admin/rebuild is served to everybody'],
  ['ingress', 'path: /health, pathType', 'path: /metrics, pathType', '/metrics is served to everybody'],
  ['network-policy', '[Ingress, Egress]', '[Ingress]', 'does not restrict Egress'],
  ['network-policy', 'matchLabels: { kubernetes.io/metadata.name: ingress-nginx }', 'matchExpressions: []', 'lets in everybody'],
  ['network-policy', '        - podSelector: {}\n', '        - ipBlock: { cidr: 0.0.0.0/0 }\n', 'lets out to everybody'],
  ['network-policy', 'port: 9092', 'port: 9093', 'port 9092 of PALIMPSEST_KAFKA_BROKERS cannot be reached'],
  ['network-policy', 'port: 4318', 'port: 25', 'lets out to port 25'],
  ['settings', 'PALIMPSEST_NAMESPACE=palimpsest', 'PALIMPSEST_NAMESPACE=Palimpsest', 'refuses its environment'],
  ['secret', 'PALIMPSEST_EVENTSTORE_URL:', 'EVENTSTORE_URL:', 'refuses its environment'],
  ['ingestion', 'name: palimpsest_queue_depth_documents', 'name: palimpsest_queue_depth', 'no process reports palimpsest_queue_depth'],
  ['scaledObject', 'palimpsest_queue_depth_documents', 'palimpsest_queue_length', 'no process reports palimpsest_queue_length'],
  ['scaledObject', 'name: ingestion }', 'name: ingest }', 'scales Deployment ingest'],
];
/* eslint-enable no-template-curly-in-string */

/** One line for each fault that went unnoticed; `count` says how many were tried. */
export const selfTest = (texts, findings) => {
  const unnoticed = FAULTS.flatMap(([name, from, to, expected]) => {
    if (!texts[name].includes(from)) return [`self-test: ${name} does not hold "${from}" any more; bring the list of faults up to date`];
    const found = findings({ ...texts, [name]: texts[name].replaceAll(from, () => to) });
    return found.some((finding) => finding.includes(expected)) ? [] : [`self-test: "${from}" → "${to}" in ${name} went unnoticed`];
  });
  return { count: FAULTS.length, unnoticed };
};
