import config from './jest.config.js';

/** The retrieval sets that are not in CI: `npm run test:real-long`. */
export default { ...config, testPathIgnorePatterns: [], testMatch: ['**/*-long.spec.ts'] };
