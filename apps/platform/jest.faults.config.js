import preset from '../../jest.preset.js';

/** Services and servers killed, cut off and held up while real documents come in: `npm run test:faults`, see test-faults/README.md. */
export default {
  ...preset,
  displayName: 'platform, faults',
  testMatch: ['<rootDir>/test-faults/**/*.spec.ts'],
  testTimeout: 90 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
