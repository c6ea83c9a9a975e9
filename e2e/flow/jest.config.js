import preset from '../../jest.preset.js';

/** The embedded platform as its users see it, in one process: part of `npm test`. */
export default {
  ...preset,
  displayName: 'platform, flow',
};
