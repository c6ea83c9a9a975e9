import preset from '../../jest.preset.js';

/** What needs no page: the pages themselves are tested in a real browser (e2e/console). */
export default { ...preset, displayName: 'console' };
