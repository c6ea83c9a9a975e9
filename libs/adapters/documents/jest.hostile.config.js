import preset from '../../../jest.preset.js';

/** Checks the outcome of every kind of hostile file, two at a time: `npm run test:hostile`. */
export default { ...preset, displayName: 'hostile files', testMatch: ['<rootDir>/test-hostile/**/*.spec.ts'], maxWorkers: 2 };
