import { fileURLToPath } from 'node:url';
import preset from './jest.preset.js';

/** For projects with Nest modules. */
export default { ...preset, setupFiles: [fileURLToPath(new URL('./jest.setup.js', import.meta.url))] };
