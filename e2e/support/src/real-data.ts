import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** An error without a stack trace, which would not help to find the data. */
const missing = (path: string): Error => {
  const error = new Error(
    `real data not found: ${path}. Put it next to the checkout (../shared/data), or set PALIMPSEST_REAL_DATA to its folder`,
  );
  error.stack = error.message;
  return error;
};

/** A folder of the real data, e.g. `documents` or `beir/scifact`. @throws if it is missing; no test is skipped because of missing data */
export const realData = (name: string): string => {
  const path = join(resolve(CHECKOUT, process.env['PALIMPSEST_REAL_DATA'] ?? '../shared/data'), name);
  if (!existsSync(path)) throw missing(path);
  return path;
};
