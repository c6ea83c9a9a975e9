import preset from '../../jest.nest.preset.js';

export default { ...preset, displayName: 'distributed' };
