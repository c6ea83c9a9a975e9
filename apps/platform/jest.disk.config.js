import preset from '../../jest.preset.js';

/** Disks that fail, and files that were damaged: `npm run test:disk`, see test-disk/README.md. */
export default {
  ...preset,
  displayName: 'platform, faulty disks',
  testMatch: ['<rootDir>/test-disk/**/*.spec.ts'],
  testTimeout: 60 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
