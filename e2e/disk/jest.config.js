import preset from '../../jest.preset.js';

/** Failing disks and damaged files: `npm run test:disk`, see README.md. */
export default {
  ...preset,
  displayName: 'platform, faulty disks',
  testTimeout: 60 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
