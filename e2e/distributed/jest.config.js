import { fileURLToPath } from 'node:url';
import preset from '../../jest.preset.js';

const FLOW = fileURLToPath(new URL('../flow/src', import.meta.url));

/** Embedded only: they read the data folder, or start and kill the one process. `tools/distributed` has its own tests for that. */
const ABOUT_THE_FOLDER = [
  'refused-starts',
  'read-models',
  'data-folder',
  'telemetry',
  'backup',
  'damage-at-rest',
  'damaged-keys',
  'demo',
  'documented-examples',
  'erased-key',
  'shutdown',
  'upgrade',
];

/**
 * They read the `/metrics` of one process, which a gateway does not forward. The load shedder of a service is that of the platform
 * (`libs/http`).
 */
const ABOUT_ONE_PROCESS = ['overload'];

export const EMBEDDED_ONLY = [...ABOUT_THE_FOLDER, ...ABOUT_ONE_PROCESS];
export const pathOf = (name) => `/flow/src/${name}\\.spec\\.ts$`;

/**
 * The code that they test is the same in a service and does the same work there: it reads files and requests. They run in `npm test`, and
 * on services in `npm run test:distributed-long`.
 */
const SAME_IN_A_SERVICE = ['bad-requests', 'declared-language', 'examples', 'formats', 'fuzz', 'golden', 'hostile-requests'];

/** Runs the suite of the embedded platform, unchanged, on three services: `npm run test:distributed`. */
export default {
  ...preset,
  displayName: 'platform, distributed',
  roots: ['<rootDir>/src', FLOW],
  testMatch: ['<rootDir>/src/**/*.spec.ts', `${FLOW}/**/*.spec.ts`],
  testPathIgnorePatterns: [...EMBEDDED_ONLY, ...SAME_IN_A_SERVICE].map(pathOf),
  globalSetup: '@palimpsest/e2e-support/start-servers',
  globalTeardown: '@palimpsest/e2e-support/stop-servers',
  maxWorkers: 1,
};
