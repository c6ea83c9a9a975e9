/** Checks that a route table routes every path of the platform to a service that serves it. One line for each finding. */

const asRequest = (path) => path.replaceAll(/\{[^}]*\}/g, 'some-id');

const matchesCaddy = (pattern, path) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);

/** The table of docker/gateway/Caddyfile: path matchers and their services, in order. */
export const caddyTable = (text) => {
  const patterns = new Map([...text.matchAll(/^\s*@(\w+) path (.+)$/gm)].map(([, name, paths]) => [name, paths.trim().split(/\s+/)]));
  const handled = [...text.matchAll(/^\s*handle @(\w+) \{\s*import to \{\$(\w+)_UPSTREAMS\}/gm)].map(([, name, upstreams]) => ({
    service: upstreams.toLowerCase(),
    patterns: patterns.get(name) ?? [],
  }));
  return (path) => handled.find((entry) => entry.patterns.some((pattern) => matchesCaddy(pattern, path)))?.service;
};

/**
 * The table of a guide: rows of a service, its port, its task, and its routes in backticks. `/v1/documents*` is that path and
 * those below it.
 */
export const documentedTable = (text) => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| \d+ \|[^|]*\|([^|]*)\|$/gm)].map(([, service, routes]) => ({
    service,
    patterns: [...routes.matchAll(/`([^`]+)`/g)].map(([, pattern]) => pattern),
  }));
  const fits = (pattern, path) => {
    const bare = pattern.replace(/\/?\*$/, '');
    return pattern.endsWith('*') ? path.startsWith(`${bare}/`) || (path === bare && !pattern.endsWith('/*')) : path === pattern;
  };
  return (path) => rows.find(({ patterns }) => patterns.some((pattern) => fits(pattern, path)))?.service;
};

const matchesIngress = ({ path: prefix, pathType }, path) => {
  if (pathType === 'Exact') return path === prefix;
  const bare = prefix.replace(/\/$/, '');
  return path === bare || path.startsWith(`${bare}/`);
};

/** The table of an Ingress: the longest match wins, and Exact wins over Prefix, as Kubernetes defines. */
export const ingressTable = ({ spec }) => {
  const paths = (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const rank = ({ path, pathType }) => path.length * 2 + (pathType === 'Exact' ? 1 : 0);
  const ordered = [...paths].sort((one, other) => rank(other) - rank(one));
  return (path) => ordered.find((entry) => matchesIngress(entry, path))?.backend?.service?.name;
};

/**
 * `internal`: paths that this table must not serve, although a service has them.
 * @param {string} file for the findings
 * @param {(path: string) => string | undefined} table
 * @param {{ platform: string[], byService: Map<string, Set<string>> }} routes
 */
export const checkRoutes = (file, table, { platform, byService }, internal = new Set()) => {
  const findings = platform.flatMap((path) => {
    const service = table(asRequest(path));
    if (internal.has(path)) return service === undefined ? [] : [`${file}: ${path} must not be public`];
    if (service === undefined) return [`${file}: no service serves ${path}`];
    if (!byService.has(service)) return [`${file}: ${path} is routed to ${service}, which does not exist`];
    return byService.get(service).has(path) ? [] : [`${file}: ${path} is routed to ${service}, which does not serve it`];
  });
  for (const [service, paths] of byService)
    for (const path of paths)
      if (!platform.includes(path)) findings.push(`${file}: ${path} of ${service} is not a route of the embedded platform`);
  // Metrics and other paths are internal.
  for (const path of ['/metrics', '/v1/nothing', '/v1/documentsX'])
    if (table(path) !== undefined) findings.push(`${file}: ${path} must not be public`);
  return findings;
};
