/** Checks references: Prometheus' targets, Grafana's data source and folders, and the hosts in addresses. */
import { parse } from 'yaml';
import { interpolate } from './interpolate.mjs';

const mountsOf = ({ volumes = [] } = {}) => volumes.map((mount) => mount.split(':')[1]);

const targets = (prometheus, services) =>
  (prometheus.scrape_configs ?? [])
    .flatMap(({ dns_sd_configs: found = [], static_configs: fixed = [] }) => [
      ...found.flatMap(({ names, port }) => names.map((name) => [name, String(port)])),
      ...fixed.flatMap(({ targets: all }) => all.map((target) => target.split(':'))),
    ])
    .flatMap(([name, port]) => {
      if (!services[name]) return [`docker/prometheus/prometheus.yml: scrapes ${name}, which does not exist`];
      const listens = services[name].environment?.PALIMPSEST_PORT;
      return listens === undefined || listens === port
        ? []
        : [`docker/prometheus/prometheus.yml: scrapes ${name} on port ${port}; it listens on ${listens}`];
    });

/** Hosts in the addresses in the services' settings: `http://s3:7070`, `kafka:9092`. */
const addresses = (services) =>
  Object.entries(services).flatMap(([name, { environment = {} }]) =>
    Object.entries(environment).flatMap(([variable, value]) => {
      if (value === null || !/^PALIMPSEST_.*(?:_URL|_ENDPOINT|_BROKERS)$/.test(variable)) return [];
      const hosts = interpolate(String(value), {})
        .split(',')
        .map((each) => /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^:/?]+)/.exec(each)?.[1]);
      return hosts
        .filter((host) => host && !services[host])
        .map((host) => `docker/compose.yaml: ${name}: ${variable} names ${host}, which does not exist`);
    }),
  );

/** @param {{ compose: string, prometheus: string, datasources: string, dashboards: string, exists: (path: string) => boolean }} texts paths below docker/ */
export const checkObservability = ({ compose, prometheus, datasources, dashboards, exists }) => {
  const { services } = parse(compose, { merge: true });
  const scraping = parse(prometheus);
  const sources = parse(datasources).datasources.map(({ url }) => new URL(url).hostname);
  const folders = parse(dashboards).providers.map(({ options }) => options.path);
  const mounted = mountsOf(services.grafana);
  return [
    ...targets(scraping, services),
    ...(scraping.rule_files ?? [])
      .filter((file) => !exists(`prometheus/${file}`))
      .map((file) => `docker/prometheus/prometheus.yml: ${file} does not exist`),
    ...sources.filter((host) => !services[host]).map((host) => `docker/grafana: the data source ${host} is not a service`),
    ...folders
      .filter((folder) => !mounted.includes(folder))
      .map((folder) => `docker/grafana: reads dashboards from ${folder}, which is not mounted`),
    ...addresses(services),
  ];
};
