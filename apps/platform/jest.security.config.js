import preset from '../../jest.preset.js';

/** What the platform withstands, attack by attack: `npm run test:security`, see test-security/README.md. */
export default {
  ...preset,
  displayName: 'platform, security',
  testMatch: ['<rootDir>/test-security/**/*.spec.ts'],
  testTimeout: 180_000,
  maxWorkers: 1,
  verbose: true,
};
