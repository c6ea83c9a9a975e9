/** Checks deploy/kustomize for errors that no schema detects but every cluster would. One line for each finding. */
import { imageFault } from './images.mjs';

const WORKLOADS = new Set(['Deployment', 'StatefulSet']);
const KINDS = new Set([
  ...WORKLOADS,
  'Service',
  'ServiceAccount',
  'Ingress',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'HorizontalPodAutoscaler',
  'ScaledObject',
  'Namespace',
]);
/** Services may take this long to finish work in progress. */
const GRACE_SECONDS = 10;
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];

const within = (selector, labels) =>
  Object.keys(selector ?? {}).length > 0 && Object.entries(selector).every(([name, value]) => labels?.[name] === value);
const named = ({ kind, metadata }) => `${kind} ${metadata?.name}`;

const probesOf = (name, { ports = [], ...rest }) =>
  PROBES.flatMap((probe) => {
    const asked = rest[probe]?.httpGet;
    if (!asked) return [`${name}: ${probe} is missing`];
    return ports.some((port) => port.name === asked.port) ? [] : [`${name}: ${probe} uses port ${asked.port}, which does not exist`];
  });

const isRestricted = ({ readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = {}) =>
  readOnlyRootFilesystem === true && allowPrivilegeEscalation === false && capabilities?.drop?.includes('ALL') === true;

const isMeasured = ({ requests = {}, limits = {} } = {}) => Boolean(requests.cpu && requests.memory && limits.memory);

const container = (name, volumes, apps, given) => {
  const fault = imageFault(given.image);
  const findings = [...(fault ? [`${name}: ${fault}`] : []), ...probesOf(name, given)];
  const app = /^apps\/(\w+)\/dist\/main\.js$/.exec(given.args?.[0] ?? '')?.[1];
  if (!apps.includes(app)) findings.push(`${name}: runs ${given.args?.[0]}, which is not an app`);
  if (given.livenessProbe?.httpGet?.path === '/health/ready')
    findings.push(`${name}: the liveness probe would kill it while it catches up`);
  if (!isMeasured(given.resources)) findings.push(`${name}: needs CPU and memory requests, and a memory limit`);
  if (!isRestricted(given.securityContext)) findings.push(`${name}: the security context is not restricted`);
  for (const { name: mounted } of given.volumeMounts ?? [])
    if (!volumes.includes(mounted)) findings.push(`${name}: mounts ${mounted}, which does not exist`);
  return findings;
};

const workload = (resource, apps) => {
  const name = named(resource);
  const { selector, template, volumeClaimTemplates = [] } = resource.spec;
  const pod = template.spec;
  const findings = within(selector?.matchLabels, template.metadata?.labels)
    ? []
    : [`${name}: the selector does not match the labels of the pods`];
  if (!(pod.terminationGracePeriodSeconds > GRACE_SECONDS))
    findings.push(`${name}: terminationGracePeriodSeconds must be more than ${GRACE_SECONDS}`);
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
  if (runAsNonRoot !== true || !(runAsUser > 0) || seccompProfile?.type !== 'RuntimeDefault')
    findings.push(`${name}: the pods may run as root`);
  if (!pod.topologySpreadConstraints?.every(({ labelSelector }) => within(labelSelector?.matchLabels, template.metadata?.labels)))
    findings.push(`${name}: is not spread over nodes`);
  const volumes = [...(pod.volumes ?? []), ...volumeClaimTemplates.map(({ metadata }) => metadata)].map((volume) => volume.name);
  return [...findings, ...pod.containers.flatMap((each) => container(name, volumes, apps, each))];
};

/** Labels, ports and names by which resources refer to each other. */
const links = (resources) => {
  const workloads = resources.filter(({ kind }) => WORKLOADS.has(kind));
  const podsOf = (selector) => workloads.filter(({ spec }) => within(selector, spec.template.metadata?.labels));
  const portsOf = ({ spec }) => spec.template.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
  const services = resources.filter(({ kind }) => kind === 'Service');
  const checks = {
    Service: ({ spec }) => {
      const pods = podsOf(spec.selector);
      if (pods.length !== 1) return [`selects ${pods.length} workloads`];
      return spec.ports
        .filter(({ targetPort }) => !portsOf(pods[0]).includes(targetPort))
        .map(({ targetPort }) => `refers to port ${targetPort}, which does not exist`);
    },
    StatefulSet: ({ spec }) =>
      services.some(({ metadata, spec: { clusterIP } }) => metadata.name === spec.serviceName && clusterIP === 'None')
        ? []
        : [`the service ${spec.serviceName} is not headless`],
    PodDisruptionBudget: ({ spec }) => (podsOf(spec.selector?.matchLabels).length === 1 ? [] : ['selects no workload']),
    HorizontalPodAutoscaler: ({ spec }) => scaled(spec.scaleTargetRef, workloads),
    ScaledObject: ({ spec }) => scaled(spec.scaleTargetRef, workloads),
    Ingress: ({ spec }) =>
      spec.rules
        .flatMap(({ http }) => http.paths)
        .flatMap(({ path, backend: { service } }) => {
          const target = services.find(({ metadata }) => metadata.name === service.name);
          return target?.spec.ports.some(({ name }) => name === service.port.name)
            ? []
            : [`${path} refers to ${service.name}:${service.port.name}, which does not exist`];
        }),
    NetworkPolicy: ({ spec }) =>
      podsOf(spec.podSelector?.matchLabels).length === workloads.length ? [] : ['does not select every workload'],
  };
  return resources.flatMap((resource) => (checks[resource.kind]?.(resource) ?? []).map((finding) => `${named(resource)}: ${finding}`));
};

const scaled = ({ kind, name }, workloads) => {
  const target = workloads.find((each) => each.kind === kind && each.metadata.name === name);
  if (!target) return [`scales ${kind} ${name}, which does not exist`];
  return target.spec.replicas === undefined ? [] : [`${kind} ${name} sets its own number of replicas`];
};

/** The environment of a container from all sources; names that do not exist are added to `missing`. */
const environmentOf = ({ envFrom = [], env = [] }, { configs, secrets }, missing) => {
  const take = (sources, kind, name) => {
    if (!sources.has(name)) missing.push(`${kind} ${name}`);
    return sources.get(name) ?? {};
  };
  const settings = {};
  for (const { configMapRef, secretRef } of envFrom)
    Object.assign(settings, configMapRef ? take(configs, 'ConfigMap', configMapRef.name) : take(secrets, 'Secret', secretRef?.name));
  for (const { name, value, valueFrom } of env) {
    if (value !== undefined) settings[name] = value;
    for (const [sources, kind, reference] of [
      [secrets, 'Secret', valueFrom?.secretKeyRef],
      [configs, 'ConfigMap', valueFrom?.configMapKeyRef],
    ]) {
      if (!reference) continue;
      settings[name] = take(sources, kind, reference.name)[reference.key];
      if (settings[name] === undefined) missing.push(`${reference.key} in ${kind} ${reference.name}`);
    }
  }
  return settings;
};

const environment = (resource, given) =>
  resource.spec.template.spec.containers.flatMap((each) => {
    const name = named(resource);
    const missing = [];
    const settings = environmentOf(each, given, missing);
    const findings = missing.map((what) => `${name}: ${what} does not exist`);
    for (const variable of Object.keys(settings))
      if (!given.known.has(variable)) findings.push(`${name}: ${variable} is not a setting of any service`);
    try {
      given.readEnvironment(/^apps\/(\w+)\//.exec(each.args?.[0] ?? '')?.[1], settings);
    } catch (error) {
      findings.push(`${name}: invalid environment: ${error.message}`);
    }
    return findings;
  });

/** The metrics for its autoscaling: their names, and their consumer groups. */
const figures = ({ spec, ...resource }, { metrics, groups }) => {
  const asked = JSON.stringify(spec ?? {}).replaceAll('\\', '');
  const names = [...asked.matchAll(/\bpalimpsest_\w+/g)].map(([name]) => name);
  const of = [...asked.matchAll(/\bgroup"?[=:]"?([\w-]+)/g)].map(([, group]) => group);
  return [
    ...names.filter((name) => !metrics.has(name)).map((name) => `${named(resource)}: no process reports ${name}`),
    ...of.filter((group) => !groups.has(group)).map((group) => `${named(resource)}: the consumer group ${group} does not exist`),
  ];
};

/**
 * @param {{ resources: object[], configs: Map<string, object>, secrets: Map<string, object>, apps: string[], known: Set<string>,
 *   metrics: Set<string>, groups: Set<string>, readEnvironment: (service: string, env: object) => unknown }} given
 */
export const checkKustomize = (given) => {
  const { resources, apps } = given;
  const findings = [];
  const seen = new Set();
  for (const resource of resources) {
    if (!KINDS.has(resource?.kind) || !resource.apiVersion || !resource.metadata?.name)
      findings.push(`${named(resource ?? {})}: unknown kind, or missing version or name`);
    if (seen.has(named(resource))) findings.push(`${named(resource)}: is defined twice`);
    seen.add(named(resource));
  }
  const workloads = resources.filter(({ kind }) => WORKLOADS.has(kind));
  findings.push(...workloads.flatMap((resource) => [...workload(resource, apps), ...environment(resource, given)]), ...links(resources));
  findings.push(
    ...resources
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
      .flatMap((resource) => figures(resource, given)),
  );
  for (const app of apps) if (!workloads.some(({ metadata }) => metadata.name === app)) findings.push(`nothing runs apps/${app}`);
  for (const { metadata } of workloads)
    if (!seen.has(`PodDisruptionBudget ${metadata.name}`)) findings.push(`${metadata.name}: PodDisruptionBudget is missing`);
  return findings.map((finding) => `deploy/kustomize: ${finding}`);
};
