import config, { EMBEDDED_ONLY, pathOf } from './jest.config.js';

/** Everything that can run on services: `npm run test:distributed-long`. */
export default { ...config, testPathIgnorePatterns: EMBEDDED_ONLY.map(pathOf) };
