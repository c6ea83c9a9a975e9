import { createRequire } from 'node:module';

/** Version of this release; the same for all packages. */
export const VERSION: string = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
