import preset from '../../jest.preset.js';

/** Ten times the load that a platform can handle, for some seconds: `npm run test:overload`, see README.md. */
export default {
  ...preset,
  displayName: 'platform, overload',
  testTimeout: 20 * 60_000,
  maxWorkers: 1,
  verbose: true,
};
