import preset from '../../jest.preset.js';

/** Failing disks and damaged files: `npm run test:disk`, see test-disk/README.md. */
export default {
  ...preset,
  displayName: 'platform, faulty disks',
  testMatch: ['<rootDir>/test-disk/**/*.spec.ts'],
  testTimeout: 60 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
