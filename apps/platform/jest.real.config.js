import preset from '../../jest.preset.js';

/** The suites over the real data beside the checkout: minutes, not seconds, so nothing in them is timed tightly. */
export default {
  ...preset,
  displayName: 'platform, real data',
  testMatch: ['<rootDir>/test-real/**/*.spec.ts'],
  testTimeout: 30 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
