import console from './jest.console.config.js';
import distributed from './jest.distributed.config.js';

/** Runs the suite of the web console, unchanged, on three services behind their gateway: `npm run test:console-distributed`. */
export default {
  ...console,
  displayName: 'console, distributed',
  globalSetup: '<rootDir>/test-distributed/start-servers-and-browser.mjs',
  globalTeardown: distributed.globalTeardown,
  maxWorkers: 1,
};
