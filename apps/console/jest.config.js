import preset from '../../jest.preset.js';

/** What needs no page: the pages themselves are tested in a real browser (apps/platform/test-console). */
export default { ...preset, displayName: 'console' };
