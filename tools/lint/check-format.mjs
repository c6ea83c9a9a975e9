/** Prints each file that prettier would write differently; exit code 1 if there is one. `npx prettier --write .` repairs it. */
import { unformatted } from '../house/figures.mjs';

const found = await unformatted();
for (const file of found) console.error(`${file}: run \`npx prettier --write ${file}\``);
console.error(found.length === 0 ? 'format: every file is as the formatter writes it' : `format: ${found.length} findings`);
process.exitCode = found.length === 0 ? 0 : 1;
