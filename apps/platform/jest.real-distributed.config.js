import preset from './jest.real.config.js';

/** Embedded and distributed on the same real documents: `npm run test:real-distributed`. */
export default { ...preset, displayName: 'platform and services, real data', testMatch: ['<rootDir>/test-real-distributed/**/*.spec.ts'] };
