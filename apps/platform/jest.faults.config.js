import preset from '../../jest.preset.js';

/** Services and servers are killed, disconnected and delayed during an ingestion: `npm run test:faults`, see test-faults/README.md. */
export default {
  ...preset,
  displayName: 'platform, faults',
  testMatch: ['<rootDir>/test-faults/**/*.spec.ts'],
  testTimeout: 90 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
