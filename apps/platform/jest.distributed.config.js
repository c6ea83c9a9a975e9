import preset from '../../jest.preset.js';

/** Embedded only: what lies in the data folder, how one process starts and is killed. `tools/distributed` has its own such tests. */
const ABOUT_THE_FOLDER = ['refused-starts', 'read-models', 'data-folder', 'telemetry', 'backup', 'damage-at-rest', 'damaged-keys', 'documented-examples', 'shutdown'];

/** What one process says of itself at `/metrics`, which no gateway passes on. The doors of a service are those of the platform: `libs/host`. */
const ABOUT_ONE_PROCESS = ['overload'];

/** The suite of the embedded platform, unchanged, on three services: `npm run test:distributed`. */
export default {
  ...preset,
  displayName: 'platform, distributed',
  testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/test-distributed/**/*.spec.ts'],
  testPathIgnorePatterns: [...ABOUT_THE_FOLDER, ...ABOUT_ONE_PROCESS].map((name) => `/test/${name}\\.spec\\.ts$`),
  globalSetup: '<rootDir>/test-distributed/start-servers.mjs',
  globalTeardown: '<rootDir>/test-distributed/stop-servers.mjs',
  testTimeout: 180_000,
  maxWorkers: 1,
};
