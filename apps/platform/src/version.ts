import { createRequire } from 'node:module';

/** Of this release, from the app's own package.json. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
