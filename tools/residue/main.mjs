/**
 * Scans a folder for what a store was supposed to forget. After `npm run build`:
 *
 *   node tools/residue/main.mjs [--json] <folder> <secrets file>
 *
 * The secrets file has one secret a line: a text of at least eight bytes, or a vector as a JSON array of numbers. Stop the store first, or
 * scan a copy of its folder. Prints each secret that was found, with the files, and exits with 1 if there is one.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { searchFolder, textProbes, vectorProbes } from '@palimpsest/foundation';

const { values: options, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true });
const [folder, secretsFile] = positionals;
if (folder === undefined || secretsFile === undefined) {
  console.error('usage: node tools/residue/main.mjs [--json] <folder> <secrets file>');
  process.exit(2);
}
const lines = (await readFile(secretsFile, 'utf8')).split('\n').filter((line) => line.trim() !== '');
const probes = lines.flatMap((line, n) =>
  line.startsWith('[') ? vectorProbes(`vector in line ${n + 1}`, JSON.parse(line)) : textProbes(line, line),
);
const { files, bytes, found } = await searchFolder(resolve(folder), probes);
if (options.json) console.log(JSON.stringify({ files, bytes, secrets: lines.length, found: Object.fromEntries(found) }));
else {
  for (const [name, where] of found) console.log(`${name}: ${where.slice(0, 5).join(', ')}${where.length > 5 ? ', …' : ''}`);
  console.log(`${found.size} of ${lines.length} secrets found in ${files} files (${(bytes / 2 ** 20).toFixed(1)} MiB)`);
}
process.exitCode = found.size === 0 ? 0 : 1;
