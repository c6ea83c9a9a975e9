import preset from '../../jest.preset.js';

/** The attacks that the platform withstands: `npm run test:security`, see test-security/README.md. */
export default {
  ...preset,
  displayName: 'platform, security',
  testMatch: ['<rootDir>/test-security/**/*.spec.ts'],
  maxWorkers: 1,
  verbose: true,
};
