/** deploy/kustomize: what no schema says but every cluster would find out. One line for each finding. */
import { imageFault } from './images.mjs';

const WORKLOADS = new Set(['Deployment', 'StatefulSet']);
const KINDS = new Set([...WORKLOADS, 'Service', 'ServiceAccount', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'ScaledObject', 'Namespace']);
/** The services take up to so long to finish what is under way. */
const GRACE_SECONDS = 10;
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];

const within = (selector, labels) => Object.keys(selector ?? {}).length > 0 && Object.entries(selector).every(([name, value]) => labels?.[name] === value);
const named = ({ kind, metadata }) => `${kind} ${metadata?.name}`;

const probesOf = (name, { ports = [], ...rest }) =>
  PROBES.flatMap((probe) => {
    const asked = rest[probe]?.httpGet;
    if (!asked) return [`${name}: has no ${probe}`];
    return ports.some((port) => port.name === asked.port) ? [] : [`${name}: ${probe} asks port ${asked.port}, which there is not`];
  });

const isRestricted = ({ readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = {}) =>
  readOnlyRootFilesystem === true && allowPrivilegeEscalation === false && capabilities?.drop?.includes('ALL') === true;

const isMeasured = ({ requests = {}, limits = {} } = {}) => Boolean(requests.cpu && requests.memory && limits.memory);

const container = (name, volumes, apps, given) => {
  const fault = imageFault(given.image);
  const findings = [...(fault ? [`${name}: ${fault}`] : []), ...probesOf(name, given)];
  const app = /^apps\/(\w+)\/dist\/main\.js$/.exec(given.args?.[0] ?? '')?.[1];
  if (!apps.includes(app)) findings.push(`${name}: runs ${given.args?.[0]}, which is no app`);
  if (given.livenessProbe?.httpGet?.path === '/health/ready') findings.push(`${name}: is killed while it catches up`);
  if (!isMeasured(given.resources)) findings.push(`${name}: lacks requests of processor and memory, or a limit of memory`);
  if (!isRestricted(given.securityContext)) findings.push(`${name}: its security context is not restricted`);
  for (const { name: mounted } of given.volumeMounts ?? []) if (!volumes.includes(mounted)) findings.push(`${name}: mounts ${mounted}, which there is not`);
  return findings;
};

const workload = (resource, apps) => {
  const name = named(resource);
  const { selector, template, volumeClaimTemplates = [] } = resource.spec;
  const pod = template.spec;
  const findings = within(selector?.matchLabels, template.metadata?.labels) ? [] : [`${name}: its selector does not fit its pods' labels`];
  if (!(pod.terminationGracePeriodSeconds > GRACE_SECONDS)) findings.push(`${name}: terminationGracePeriodSeconds must be more than ${GRACE_SECONDS}`);
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {};
  if (runAsNonRoot !== true || !(runAsUser > 0) || seccompProfile?.type !== 'RuntimeDefault') findings.push(`${name}: its pods may run as root`);
  if (!pod.topologySpreadConstraints?.every(({ labelSelector }) => within(labelSelector?.matchLabels, template.metadata?.labels))) findings.push(`${name}: is not spread over nodes`);
  const volumes = [...(pod.volumes ?? []), ...volumeClaimTemplates.map(({ metadata }) => metadata)].map((volume) => volume.name);
  return [...findings, ...pod.containers.flatMap((each) => container(name, volumes, apps, each))];
};

/** Labels, ports and names by which resources find each other. */
const links = (resources) => {
  const workloads = resources.filter(({ kind }) => WORKLOADS.has(kind));
  const podsOf = (selector) => workloads.filter(({ spec }) => within(selector, spec.template.metadata?.labels));
  const portsOf = ({ spec }) => spec.template.spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
  const services = resources.filter(({ kind }) => kind === 'Service');
  const checks = {
    Service: ({ spec }) => {
      const pods = podsOf(spec.selector);
      if (pods.length !== 1) return [`selects ${pods.length} workloads`];
      return spec.ports.filter(({ targetPort }) => !portsOf(pods[0]).includes(targetPort)).map(({ targetPort }) => `leads to port ${targetPort}, which there is not`);
    },
    StatefulSet: ({ spec }) => (services.some(({ metadata, spec: { clusterIP } }) => metadata.name === spec.serviceName && clusterIP === 'None') ? [] : [`its service ${spec.serviceName} is no headless one`]),
    PodDisruptionBudget: ({ spec }) => (podsOf(spec.selector?.matchLabels).length === 1 ? [] : ['selects no workload']),
    HorizontalPodAutoscaler: ({ spec }) => scaled(spec.scaleTargetRef, workloads),
    ScaledObject: ({ spec }) => scaled(spec.scaleTargetRef, workloads),
    Ingress: ({ spec }) =>
      spec.rules.flatMap(({ http }) => http.paths).flatMap(({ path, backend: { service } }) => {
        const target = services.find(({ metadata }) => metadata.name === service.name);
        return target?.spec.ports.some(({ name }) => name === service.port.name) ? [] : [`${path} leads to ${service.name}:${service.port.name}, which there is not`];
      }),
    NetworkPolicy: ({ spec }) => (podsOf(spec.podSelector?.matchLabels).length === workloads.length ? [] : ['does not select every workload']),
  };
  return resources.flatMap((resource) => (checks[resource.kind]?.(resource) ?? []).map((finding) => `${named(resource)}: ${finding}`));
};

const scaled = ({ kind, name }, workloads) => {
  const target = workloads.find((each) => each.kind === kind && each.metadata.name === name);
  if (!target) return [`scales ${kind} ${name}, which there is not`];
  return target.spec.replicas === undefined ? [] : [`${kind} ${name} has a number of replicas of its own`];
};

/** What a container is told, by all the ways there are; `missing` takes the names of what is not there. */
const toldTo = ({ envFrom = [], env = [] }, { configs, secrets }, missing) => {
  const take = (sources, kind, name) => {
    if (!sources.has(name)) missing.push(`${kind} ${name}`);
    return sources.get(name) ?? {};
  };
  const told = {};
  for (const { configMapRef, secretRef } of envFrom)
    Object.assign(told, configMapRef ? take(configs, 'ConfigMap', configMapRef.name) : take(secrets, 'Secret', secretRef?.name));
  for (const { name, value, valueFrom } of env) {
    if (value !== undefined) told[name] = value;
    for (const [sources, kind, reference] of [[secrets, 'Secret', valueFrom?.secretKeyRef], [configs, 'ConfigMap', valueFrom?.configMapKeyRef]]) {
      if (!reference) continue;
      told[name] = take(sources, kind, reference.name)[reference.key];
      if (told[name] === undefined) missing.push(`${reference.key} in ${kind} ${reference.name}`);
    }
  }
  return told;
};

const environment = (resource, given) =>
  resource.spec.template.spec.containers.flatMap((each) => {
    const name = named(resource);
    const missing = [];
    const told = toldTo(each, given, missing);
    const findings = missing.map((what) => `${name}: there is no ${what}`);
    for (const variable of Object.keys(told)) if (!given.known.has(variable)) findings.push(`${name}: ${variable} is no setting of any service`);
    try {
      given.readEnvironment(/^apps\/(\w+)\//.exec(each.args?.[0] ?? '')?.[1], told);
    } catch (error) {
      findings.push(`${name}: refuses its environment: ${error.message}`);
    }
    return findings;
  });

/** By which figures it is scaled: their names, and the consumer groups that they are asked of. */
const figures = ({ spec, ...resource }, { metrics, groups }) => {
  const asked = JSON.stringify(spec ?? {}).replaceAll('\\', '');
  const names = [...asked.matchAll(/\bpalimpsest_\w+/g)].map(([name]) => name);
  const of = [...asked.matchAll(/\bgroup"?[=:]"?([\w-]+)/g)].map(([, group]) => group);
  return [
    ...names.filter((name) => !metrics.has(name)).map((name) => `${named(resource)}: no process reports ${name}`),
    ...of.filter((group) => !groups.has(group)).map((group) => `${named(resource)}: there is no consumer group ${group}`),
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
    if (!KINDS.has(resource?.kind) || !resource.apiVersion || !resource.metadata?.name) findings.push(`${named(resource ?? {})}: no kind, version or name that is known here`);
    if (seen.has(named(resource))) findings.push(`${named(resource)}: is there twice`);
    seen.add(named(resource));
  }
  const workloads = resources.filter(({ kind }) => WORKLOADS.has(kind));
  findings.push(...workloads.flatMap((resource) => [...workload(resource, apps), ...environment(resource, given)]), ...links(resources));
  findings.push(...resources.filter(({ kind }) => kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject').flatMap((resource) => figures(resource, given)));
  for (const app of apps) if (!workloads.some(({ metadata }) => metadata.name === app)) findings.push(`nothing runs apps/${app}`);
  for (const { metadata } of workloads) if (!seen.has(`PodDisruptionBudget ${metadata.name}`)) findings.push(`${metadata.name}: has no PodDisruptionBudget`);
  return findings.map((finding) => `deploy/kustomize: ${finding}`);
};
