import preset from '../../jest.preset.js';

/** Tests the web console in a real Chromium, each suite on its own platform: `npm run test:console`. */
export default {
  ...preset,
  displayName: 'console, in a browser',
  globalSetup: '<rootDir>/src/find-browser.mjs',
  maxWorkers: 2,
  // A test that hangs must not cost more than the rest of the suite.
  testTimeout: 180_000,
};
