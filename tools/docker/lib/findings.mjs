/** All checks of tools/docker, on the files unchanged or with one of them replaced. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inRoot } from '../../setup/workspace.mjs';
import { checkCompose } from './check-compose.mjs';
import { checkDockerfile } from './check-dockerfile.mjs';
import { checkKustomize } from './check-kustomize.mjs';
import { checkNetworkPolicy } from './check-network-policy.mjs';
import { checkObservability } from './check-observability.mjs';
import { caddyTable, checkRoutes, documentedTable, ingressTable } from './check-routes.mjs';
import { danglingIn, documentsIn, envFile, readBase } from './read-kustomize.mjs';
import { GROUPS, INTERNAL, KNOWN, readEnvironment, SAMPLE_SECRETS, SERVICES } from './services.mjs';

const read = (path) => readFileSync(inRoot(path), 'utf8');
const inDocker = (path) => existsSync(join(inRoot('docker'), path));
const KUSTOMIZE = 'deploy/kustomize';
const OVERLAY = `${KUSTOMIZE}/overlays/example`;

/** The checked texts, by the names that the self-test uses. */
export const readTexts = () => ({
  dockerfile: read('docker/Dockerfile'),
  ignore: read('.dockerignore'),
  compose: read('docker/compose.yaml'),
  example: read('docker/.env.example'),
  caddyfile: read('docker/gateway/Caddyfile'),
  guide: read('docs/how-to/run-distributed.md'),
  prometheus: read('docker/prometheus/prometheus.yml'),
  datasources: read('docker/grafana/provisioning/datasources/prometheus.yaml'),
  dashboards: read('docker/grafana/provisioning/dashboards/palimpsest.yaml'),
  ...Object.fromEntries(
    ['ingestion', 'reembedding', 'query', 'ingress', 'network-policy'].map((name) => [name, read(`${KUSTOMIZE}/base/${name}.yaml`)]),
  ),
  settings: read(`${KUSTOMIZE}/base/settings.env`),
  secret: read(`${KUSTOMIZE}/base/secret.example.yaml`),
  scaledObject: read(`${KUSTOMIZE}/components/keda/scaled-object.yaml`),
});

/** The names of all metrics. */
const reportedMetrics = () =>
  new Set([...read('libs/telemetry/src/metrics/instruments.ts').matchAll(/'(palimpsest_\w+)'/g)].map(([, name]) => name));

const kustomize = (texts, routes) => {
  const base = readBase(inRoot(KUSTOMIZE, 'base'));
  const changeable = new Set(['ingestion.yaml', 'reembedding.yaml', 'query.yaml', 'ingress.yaml', 'network-policy.yaml']);
  const others = base.files.filter((file) => !changeable.has(file)).flatMap((file) => documentsIn(read(`${KUSTOMIZE}/base/${file}`), file));
  const changed = [...changeable].flatMap((file) => documentsIn(texts[file.replace('.yaml', '')], file));
  const resources = [...changed, ...others];
  const [ingress] = changed.filter(({ kind }) => kind === 'Ingress');
  const secretKeys = Object.keys(parse(texts.secret).stringData);
  const overlayKeys = Object.keys(envFile(read(`${OVERLAY}/secret.env.example`)));
  const secret = Object.fromEntries(secretKeys.map((name) => [name, SAMPLE_SECRETS[name]]));
  return [
    ...[...changeable]
      .filter((file) => !base.files.includes(file))
      .map((file) => `${KUSTOMIZE}/base/kustomization.yaml: ${file} is missing in the resources`),
    ...checkKustomize({
      resources: [...resources, ...documentsIn(texts.scaledObject, 'scaled-object.yaml')],
      configs: new Map([['palimpsest', envFile(texts.settings)]]),
      secrets: new Map([[parse(texts.secret).metadata.name, secret]]),
      apps: SERVICES,
      known: KNOWN,
      metrics: reportedMetrics(),
      groups: GROUPS,
      readEnvironment,
    }),
    ...(secretKeys.join() === overlayKeys.join()
      ? []
      : [`${OVERLAY}/secret.env.example: its keys differ from those of base/secret.example.yaml`]),
    ...danglingIn(inRoot(), inRoot(OVERLAY), resources),
    ...checkRoutes(`${KUSTOMIZE}/base/ingress.yaml`, ingressTable(ingress ?? {}), routes, INTERNAL),
    ...checkNetworkPolicy(
      changed.find(({ kind }) => kind === 'NetworkPolicy'),
      { ...envFile(texts.settings), ...secret },
    ),
  ];
};

/** A file that cannot be parsed is a finding too. */
const guarded = (file, check) => {
  try {
    return check();
  } catch (error) {
    return [`${file}: ${error.message.split('\n')[0]}`];
  }
};

export const findingsIn = (texts, routes) => [
  ...guarded('docker/Dockerfile', () =>
    checkDockerfile({ text: texts.dockerfile, ignore: texts.ignore, manifest: JSON.parse(read('package.json')) }),
  ),
  ...guarded('docker/compose.yaml', () =>
    checkCompose({
      text: texts.compose,
      example: texts.example,
      exists: inDocker,
      apps: SERVICES,
      known: KNOWN,
      readEnvironment,
      samples: SAMPLE_SECRETS,
    }),
  ),
  ...guarded('docker/gateway/Caddyfile', () => checkRoutes('docker/gateway/Caddyfile', caddyTable(texts.caddyfile), routes)),
  ...guarded('docs/how-to/run-distributed.md', () => checkRoutes('docs/how-to/run-distributed.md', documentedTable(texts.guide), routes)),
  ...guarded('docker/prometheus, docker/grafana', () => checkObservability({ ...texts, exists: inDocker })),
  ...guarded(KUSTOMIZE, () => kustomize(texts, routes)),
];
