import preset from '../../../jest.preset.js';

/** A real server syncs each new collection to disk, so a property that creates hundreds of them takes minutes on a busy machine. */
const testTimeout = process.env.QDRANT_URL === undefined ? 600_000 : 900_000;

/** The suite that needs a server: `npm run test:qdrant`. */
export default { ...preset, displayName: 'adapters-qdrant on a server', testMatch: ['<rootDir>/test-server/**/*.spec.ts'], testTimeout };
