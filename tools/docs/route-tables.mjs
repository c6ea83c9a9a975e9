/**
 * The route tables of gateways, from the contracts of the routes: the matchers of docker/gateway/Caddyfile, the paths of the two ingresses, and
 * the table in docs/how-to/run-distributed.md. Everything else in these files is written by hand and stays as it is.
 */
import { readFileSync } from 'node:fs';
import { inRoot } from '../setup/workspace.mjs';

const paths = async () => (await import(inRoot('libs/contracts/src/http/index.ts'))).servicePaths();

const read = (file) => readFileSync(inRoot(file), 'utf8');

/** Replaces what `pattern` finds. @throws if it finds nothing, since the table would then no longer be checked */
const replaced = (file, text, pattern, by) => {
  if (!pattern.test(text)) throw new Error(`${file}: no place for a generated table: ${pattern}`);
  return text.replace(pattern, by);
};

const SERVICES = ['ingestion', 'reembedding', 'query'];

/** What the matcher of a service has at its end: paths without a contract. */
export const caddyfile = async (file = 'docker/gateway/Caddyfile') => {
  const all = await paths();
  return SERVICES.reduce((text, service) => {
    const own = all
      .filter((each) => each.service === service)
      .flatMap(({ prefix, itself, below }) => [...(itself ? [prefix] : []), ...(below ? [`${prefix}/*`] : [])]);
    return replaced(file, text, new RegExp(`(?<=^\\t@${service} path )/v1/\\S+( /v1/\\S+)*`, 'm'), own.join(' '));
  }, read(file));
};

const backend = (service) => `backend: { service: { name: ${service}, port: { name: http } } }`;

/** The paths under /v1. Those of the console and of health checks follow them. */
const ingress = async (file, internal) => {
  const own = (await paths()).filter((each) => each.internal === internal);
  const lines = own.map(
    ({ prefix, below, service }) => `          - { path: ${prefix}, pathType: ${below ? 'Prefix' : 'Exact'}, ${backend(service)} }\n`,
  );
  return replaced(file, read(file), /( {10}- \{ path: \/v1\/.*\n)+/, lines.join(''));
};

export const publicIngress = () => ingress('deploy/kustomize/base/ingress.yaml', false);
export const administrationIngress = () => ingress('deploy/kustomize/components/administration/ingress.yaml', true);

export const guide = async (file = 'docs/how-to/run-distributed.md') => {
  const all = await paths();
  return SERVICES.reduce((text, service) => {
    const own = all
      .filter((each) => each.service === service)
      .map(({ prefix, itself, below }) => `\`${prefix}${below ? (itself ? '*' : '/*') : ''}\``);
    return replaced(
      file,
      text,
      new RegExp(`(?<=^\\| \`${service}\` \\| \\d+ \\|[^|]*\\| )\`/v1[^\`]*\`(, \`/v1[^\`]*\`)*`, 'm'),
      own.join(', '),
    );
  }, read(file));
};
