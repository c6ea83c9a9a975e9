import preset from '../../../jest.preset.js';

/** The suite that requires a Redis server: `npm run test:redis`. */
export default { ...preset, displayName: 'adapters-rate-limits on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'] };
