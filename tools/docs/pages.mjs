/** The generated pages: their paths and generators. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import './source-hooks.mjs';
import { inRoot } from '../setup/workspace.mjs';

const MAKERS = {
  // First, since the other pages are generated from the OpenAPI document, which contains these schemas.
  'libs/host/src/http/openapi/answer-schemas.ts': () => import('./answer-schemas.mjs'),
  'docs/reference/configuration.md': () => import('./configuration.mjs'),
  'docs/reference/cli.md': () => import('./cli.mjs'),
  'docs/reference/http-api.md': () => import('./http-api.mjs'),
  'docs/reference/events.md': () => import('./events.mjs'),
  'docs/reference/metrics.md': () => import('./metrics.mjs'),
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

export const stalePages = (pages) => [...pages].filter(([file, text]) => !existsSync(inRoot(file)) || readFileSync(inRoot(file), 'utf8') !== text).map(([file]) => file);
