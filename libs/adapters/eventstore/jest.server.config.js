import preset from '../../../jest.preset.js';

/** The suite that needs a server: `npm run test:eventstore`. With many changes of the leader: `npm run test:eventstore-long`. */
export default {
  ...preset,
  displayName: 'adapters-eventstore on a server',
  testMatch: ['<rootDir>/test-server/**/*.spec.ts', '<rootDir>/test-cluster/**/*.spec.ts'],
};
