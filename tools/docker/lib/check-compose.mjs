/** Checks docker/compose.yaml against our rules and the services' own settings. One line for each finding. */
import { parse } from 'yaml';
import { imageFault } from './images.mjs';
import { interpolate, variablesIn } from './interpolate.mjs';

/** Published on loopback; nothing else may be published. */
const PUBLISHED = new Set(['gateway', 'grafana']);
const SECRET = /(?:KEY|SECRET|PASSWORD|TOKEN)$/;
/** Services may take this long to finish work in progress. */
const GRACE_SECONDS = 10;

const list = (value) => (Array.isArray(value) ? value : []);
const namedVolume = (mount) => /^([a-z][\w.-]*):/.exec(mount)?.[1];
const boundPath = (mount) => /^(\.[^:]*):/.exec(mount)?.[1];
const isOurs = ({ image = '' }) => image.startsWith('palimpsest:');
const serviceOf = ({ command }) => /^apps\/(\w+)\/dist\/main\.js$/.exec(list(command)[0] ?? '')?.[1];
const secondsOf = (text) => Number(/^(\d+)s$/.exec(text ?? '')?.[1] ?? 0);

const hasHealthCheck = ({ healthcheck }) => healthcheck?.test !== undefined;

const imageAndHealth = (name, service) => {
  const fault = imageFault(service.image);
  return [
    ...(fault ? [`${name}: ${fault}`] : []),
    ...(hasHealthCheck(service) || (service.healthcheck?.disable === true && service['x-no-healthcheck'])
      ? []
      : [`${name}: needs a health check, or a reason in x-no-healthcheck`]),
    ...(service.deploy?.resources?.limits?.memory && service.deploy.resources.limits.cpus
      ? []
      : [`${name}: needs limits of memory and CPUs`]),
    ...(list(service.security_opt).includes('no-new-privileges:true') ? [] : [`${name}: no-new-privileges is not set`]),
    ...(list(service.cap_drop).includes('ALL') ? [] : [`${name}: does not drop all capabilities`]),
    ...(service.privileged ? [`${name}: is privileged`] : []),
  ];
};

const ports = (name, service) =>
  list(service.ports).flatMap((port) => {
    if (typeof port !== 'string' || !port.startsWith('127.0.0.1:'))
      return [`${name}: port ${JSON.stringify(port)} is not published on loopback only`];
    return PUBLISHED.has(name) ? [] : [`${name}: publishes ${port}; only ${[...PUBLISHED].join(' and ')} may`];
  });

const references = (name, service, compose, exists) => {
  const volumes = Object.keys(compose.volumes ?? {});
  const networks = Object.keys(compose.networks ?? {});
  const findings = list(service.volumes).flatMap((mount) => {
    const [named, path] = [namedVolume(mount), boundPath(mount)];
    if (named !== undefined && !volumes.includes(named)) return [`${name}: the volume ${named} is not declared`];
    if (path === undefined) return [];
    return [
      ...(exists(path) ? [] : [`${name}: the mounted file ${path} does not exist`]),
      ...(mount.endsWith(':ro') ? [] : [`${name}: ${path} is not mounted read-only`]),
    ];
  });
  for (const network of list(service.networks))
    if (!networks.includes(network)) findings.push(`${name}: the network ${network} is not declared`);
  if (list(service.networks).length === 0) findings.push(`${name}: must not use the default network`);
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    const target = compose.services[other];
    if (!target) findings.push(`${name}: depends on ${other}, which does not exist`);
    else if (condition === 'service_healthy' && !hasHealthCheck(target))
      findings.push(`${name}: waits until ${other} is healthy, but ${other} has no health check`);
  }
  return findings;
};

/** A variable without a value takes the value from compose's own environment, or is not set at all. */
const environmentOf = (service, given) =>
  Object.fromEntries(
    Object.entries(service.environment ?? {})
      .map(([name, value]) => [name, value === null ? given[name] : interpolate(String(value), given)])
      .filter(([, value]) => value !== undefined),
  );

const ourEnvironment = (name, service, { known, readEnvironment, samples, apps }) => {
  const findings = Object.keys(service.environment ?? {}).flatMap((variable) =>
    known.has(variable) ? [] : [`${name}: ${variable} is not a setting of any service`],
  );
  const app = serviceOf(service);
  if (app === undefined) return findings;
  if (!apps.includes(app)) return [...findings, `${name}: the app ${app} does not exist`];
  if (secondsOf(service.stop_grace_period) <= GRACE_SECONDS)
    findings.push(`${name}: stop_grace_period must be longer than ${GRACE_SECONDS} s`);
  if (service.read_only !== true) findings.push(`${name}: the file system is not read-only`);
  try {
    readEnvironment(app, environmentOf(service, samples));
  } catch (error) {
    findings.push(`${name}: invalid environment: ${error.message}`);
  }
  return findings;
};

const secrets = (name, service) =>
  Object.entries(service.environment ?? {}).flatMap(([variable, value]) =>
    SECRET.test(variable) && value !== null && !/^\$\{/.test(value) ? [`${name}: ${variable} is hard-coded; take it from .env`] : [],
  );

/** .env.example explains every variable of the file, and has no unused ones. */
const exampleFile = (text, compose, example) => {
  const documented = new Set([...example.matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name]) => name));
  const passedOn = Object.values(compose.services ?? {}).flatMap(({ environment }) =>
    Object.entries(environment ?? {}).filter(([, value]) => value === null),
  );
  const read = new Set([...variablesIn(text).map(({ name }) => name), ...passedOn.map(([name]) => name)]);
  const byDefault = new Set(['INGESTION_UPSTREAMS', 'REEMBEDDING_UPSTREAMS', 'QUERY_UPSTREAMS']);
  return [
    ...[...read].filter((name) => !documented.has(name) && !byDefault.has(name)).map((name) => `.env.example: does not document ${name}`),
    ...[...documented].filter((name) => !read.has(name)).map((name) => `.env.example: ${name} is not used`),
    ...[...example.matchAll(/^([A-Z][A-Z0-9_]*)=(.+)$/gm)]
      .filter(([, name]) => SECRET.test(name))
      .map(([, name]) => `.env.example: contains a value of ${name}`),
  ];
};

/**
 * @param {{ text: string, example: string, exists: (path: string) => boolean, apps: string[], known: Set<string>,
 *   readEnvironment: (service: string, env: object) => unknown, samples: Record<string, string> }} given paths are relative to docker/
 */
export const checkCompose = (given) => {
  const compose = parse(given.text, { merge: true });
  const findings = Object.entries(compose.services ?? {}).flatMap(([name, service]) => [
    ...imageAndHealth(name, service),
    ...ports(name, service),
    ...references(name, service, compose, given.exists),
    ...secrets(name, service),
    ...(isOurs(service) ? ourEnvironment(name, service, given) : []),
  ]);
  const used = new Set(Object.values(compose.services ?? {}).flatMap(({ volumes }) => list(volumes).map(namedVolume)));
  for (const volume of Object.keys(compose.volumes ?? {})) if (!used.has(volume)) findings.push(`the volume ${volume} is not used`);
  for (const app of given.apps)
    if (!Object.values(compose.services ?? {}).some((service) => serviceOf(service) === app)) findings.push(`no service runs apps/${app}`);
  return [...findings, ...exampleFile(given.text, compose, given.example)].map((finding) => `docker/compose.yaml: ${finding}`);
};
