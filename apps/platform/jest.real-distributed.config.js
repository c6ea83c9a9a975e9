import preset from './jest.real.config.js';

/** Compares the embedded and the distributed platform on the same real documents: `npm run test:real-distributed`. */
export default { ...preset, displayName: 'platform and services, real data', testMatch: ['<rootDir>/test-real-distributed/**/*.spec.ts'] };
