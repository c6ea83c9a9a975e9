import preset from '../../../jest.preset.js';

/** The suite that needs a server: `npm run test:kafka`. */
export default { ...preset, displayName: 'adapters-kafka on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'] };
