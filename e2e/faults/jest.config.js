import preset from '../../jest.preset.js';

/** Services and servers are killed, disconnected and delayed during an ingestion: `npm run test:faults`, see README.md. */
export default {
  ...preset,
  displayName: 'platform, faults',
  testTimeout: 90 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
