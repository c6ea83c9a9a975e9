import preset from '../../../jest.preset.js';

/** Minutes of hostile files, each with what is to become of it: `npm run test:hostile`. */
export default { ...preset, displayName: 'hostile files', testMatch: ['<rootDir>/test-hostile/**/*.spec.ts'], testTimeout: 300_000 };
