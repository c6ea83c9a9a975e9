import preset from '../../../jest.preset.js';

/** The suite that needs a server: `npm run test:s3`. */
export default { ...preset, displayName: 'adapters-s3 on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'] };
