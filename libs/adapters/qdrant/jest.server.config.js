import preset from '../../../jest.preset.js';

/** The suite that needs a server: `npm run test:qdrant`. */
export default { ...preset, displayName: 'adapters-qdrant on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'], testTimeout: 120_000 };
