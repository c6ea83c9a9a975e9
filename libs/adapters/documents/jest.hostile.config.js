import preset from '../../../jest.preset.js';

/** Every kind of hostile file with what is to become of it, two at a time: `npm run test:hostile`. */
export default { ...preset, displayName: 'hostile files', testMatch: ['<rootDir>/test-hostile/**/*.spec.ts'], testTimeout: 300_000, maxWorkers: 2 };
