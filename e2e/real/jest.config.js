import preset from '../../jest.preset.js';

/** The suites on the real data next to the checkout. They run for minutes, so no timeout in them is tight. */
export default {
  ...preset,
  displayName: 'platform, real data',
  testPathIgnorePatterns: ['/same-answers\\.spec\\.ts$', '-long\\.spec\\.ts$'],
  testTimeout: 30 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
