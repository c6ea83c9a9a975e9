import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** An error of one line: where it was thrown says nothing to whoever lacks the data. */
const missing = (path: string): Error => {
  const error = new Error(`the real data is missing: there is no ${path}; put it beside the checkout (../shared/data) or name its folder in PALIMPSEST_REAL_DATA`);
  error.stack = error.message;
  return error;
};

/** A folder of the real data: `documents`, `beir/scifact`. @throws when it is not there; nothing is skipped for want of data */
export const realData = (name: string): string => {
  const path = join(resolve(CHECKOUT, process.env['PALIMPSEST_REAL_DATA'] ?? '../shared/data'), name);
  if (!existsSync(path)) throw missing(path);
  return path;
};
