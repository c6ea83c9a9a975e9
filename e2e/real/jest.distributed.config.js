import real from './jest.config.js';

/** Compares the embedded and the distributed platform on the same real documents: `npm run test:real-distributed`. */
export default {
  ...real,
  displayName: 'platform and services, real data',
  testMatch: ['<rootDir>/src/same-answers.spec.ts'],
  testPathIgnorePatterns: [],
};
