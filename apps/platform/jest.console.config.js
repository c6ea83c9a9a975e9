import preset from '../../jest.preset.js';

/** The web console in a real Chromium, on a platform of its own: `npm run test:console`. */
export default {
  ...preset,
  displayName: 'console, in a browser',
  testMatch: ['<rootDir>/test-console/**/*.spec.ts'],
  globalSetup: '<rootDir>/test-console/find-browser.mjs',
  testTimeout: 240_000,
  maxWorkers: 2,
};
