import preset from '../../../jest.preset.js';

/** The suite that needs a server: `npm run test:redis`. */
export default { ...preset, displayName: 'adapters-redis on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'] };
