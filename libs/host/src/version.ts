import { createRequire } from 'node:module';

/** Of this release, of all packages alike. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
