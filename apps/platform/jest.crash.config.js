import preset from '../../jest.preset.js';

/** Kills and power cuts at every write boundary: `npm run test:crash`, see test-crash/README.md. */
export default {
  ...preset,
  displayName: 'platform, crashes',
  testMatch: ['<rootDir>/test-crash/**/*.spec.ts'],
  testTimeout: 60 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
