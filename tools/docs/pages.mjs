/** The generated pages: their paths and generators. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import './source-hooks.mjs';
import { inRoot } from '../setup/workspace.mjs';

const MAKERS = {
  'docs/reference/configuration.md': () => import('./configuration.mjs'),
  'docs/reference/cli.md': () => import('./cli.mjs'),
  'docs/reference/http-api.md': () => import('./http-api.mjs'),
  'docs/reference/events.md': () => import('./events.mjs'),
  'docs/reference/metrics.md': () => import('./metrics.mjs'),
  'docs/how-to/run-distributed.md': async () => ({ page: (await import('./route-tables.mjs')).guide }),
  'docker/gateway/Caddyfile': async () => ({ page: (await import('./route-tables.mjs')).caddyfile }),
  'deploy/kustomize/base/ingress.yaml': async () => ({ page: (await import('./route-tables.mjs')).publicIngress }),
  'deploy/kustomize/components/administration/ingress.yaml': async () => ({
    page: (await import('./route-tables.mjs')).administrationIngress,
  }),
};

/** Path (from the root) to text. */
export const makePages = async () => {
  const pages = new Map();
  for (const [file, load] of Object.entries(MAKERS)) pages.set(file, `${(await (await load()).page()).trim()}\n`);
  return pages;
};

/** @returns the files that were out of date and have been updated */
export const writePages = (pages) => {
  const stale = stalePages(pages);
  for (const file of stale) writeFileSync(inRoot(file), pages.get(file));
  return stale;
};

export const stalePages = (pages) =>
  [...pages].filter(([file, text]) => !existsSync(inRoot(file)) || readFileSync(inRoot(file), 'utf8') !== text).map(([file]) => file);
