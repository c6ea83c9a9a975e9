import console from './jest.config.js';

/** Runs the suite of the web console, unchanged, on three services behind their gateway: `npm run test:console-distributed`. */
export default {
  ...console,
  displayName: 'console, distributed',
  globalSetup: '<rootDir>/src/start-servers-and-browser.mjs',
  globalTeardown: '@palimpsest/e2e-support/stop-servers',
  maxWorkers: 1,
};
