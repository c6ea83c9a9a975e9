/**
 * The services according to the code: their settings, and their routes by the contracts. libs/platform/src/features.spec.ts checks that they
 * serve these routes.
 */
import '../../docs/source-hooks.mjs';
import 'reflect-metadata';
import { inRoot } from '../../setup/workspace.mjs';

export const SERVICES = ['ingestion', 'reembedding', 'query'];

const { CONSOLE_ASSETS, CONSOLE_PAGES, DOCS } = await import(inRoot('libs/http/src/server.ts'));
const { ROUTES } = await import(inRoot('libs/contracts/src/http/index.ts'));
const settings = await import(inRoot('libs/platform/src/settings.ts'));

/** Every variable that any of the services knows. */
export const KNOWN = new Set(SERVICES.flatMap((service) => Object.keys(settings[`${service}ServiceSettings`].shape)));

const { GROUPS: groups } = await import(inRoot('libs/contracts/src/topics.ts'));

/** Every consumer group on the bus. */
export const GROUPS = new Set(Object.values(groups));

/** Parses an environment like the service itself. @throws InvalidValue naming the variable */
export const readEnvironment = (service, env) => settings[`${service}ServiceConfig`](env);

/** Values of the right form for secrets, which no file may contain. */
export const SAMPLE_SECRETS = {
  PALIMPSEST_MASTER_KEY: '0'.repeat(64),
  PALIMPSEST_ADMIN_KEY: `plk_${'a'.repeat(43)}`,
  PALIMPSEST_EVENTSTORE_URL: 'esdb://user:password@eventstore:2113?tls=true',
  PALIMPSEST_QDRANT_API_KEY: 'sample-qdrant-key',
  PALIMPSEST_S3_ACCESS_KEY_ID: 'sample-access-key',
  PALIMPSEST_S3_SECRET_ACCESS_KEY: 'sample-secret-key',
  GRAFANA_ADMIN_PASSWORD: 'sample-password',
};

/** Paths that a public ingress must not serve. */
export const INTERNAL = new Set(ROUTES.filter(({ internal }) => internal === true).map(({ path }) => path));

/** @returns {{ platform: string[], byService: Map<string, Set<string>> }} paths as in OpenAPI, with {parameters} */
export const routes = () => {
  const byService = new Map();
  for (const service of SERVICES)
    byService.set(
      service,
      new Set(ROUTES.filter((contract) => contract.service === service || contract.service === 'every').map(({ path }) => path)),
    );
  // Served without a controller, so no OpenAPI document contains them.
  const additional = [
    '/openapi.json',
    DOCS,
    `${DOCS}/{file}`,
    ...CONSOLE_PAGES.flatMap((path) => [path, `${path}/{id}`]),
    `${CONSOLE_ASSETS}{file}`,
  ];
  const platform = [...new Set(ROUTES.map(({ path }) => path)), ...additional];
  for (const path of additional) byService.get('query').add(path);
  return { platform, byService };
};
