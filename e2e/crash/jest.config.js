import preset from '../../jest.preset.js';

/** Kills and power cuts at every write boundary: `npm run test:crash`, see README.md. */
export default {
  ...preset,
  displayName: 'platform, crashes',
  testTimeout: 60 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
