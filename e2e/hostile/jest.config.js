import preset from '../../jest.preset.js';

/** The attacks that the platform withstands: `npm run test:security`, see README.md. */
export default {
  ...preset,
  displayName: 'platform, security',
  maxWorkers: 1,
  verbose: true,
};
