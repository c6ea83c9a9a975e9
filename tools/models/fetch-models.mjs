/**
 * Downloads embedding models into `models/` with the ordinary Maven client, and checks them against pinned SHA-256 sums.
 *
 *   node tools/models/fetch-models.mjs [--into <folder>] [<model>...]      (no model: all of them)
 *
 * Needs `mvn` on the PATH. The default model is part of the repository, so this is not needed to start.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { MODELS } from './model-list.mjs';

const UNPACK = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

const isComplete = (folder, { description }) =>
  existsSync(join(folder, 'model.json')) &&
  Object.entries(description.files).every(([name, sum]) => existsSync(join(folder, name)) && sha256(join(folder, name)) === sum);

const unpack = (artifact, entries, into) =>
  execFileSync(
    'mvn',
    ['-q', '-B', UNPACK, `-Dartifact=${artifact}`, `-DoutputDirectory=${into}`, `-Dmdep.unpack.includes=${entries.join(',')}`],
    { stdio: 'inherit', cwd: into },
  );

const fetchModel = (model, folder) => {
  const unpacked = mkdtempSync(join(tmpdir(), 'model-'));
  try {
    unpack(model.artifact, Object.keys(model.entries), unpacked);
    for (const [entry, name] of Object.entries(model.entries)) {
      const [expected, got] = [model.description.files[name], sha256(join(unpacked, entry))];
      if (got !== expected) throw new Error(`${model.artifact}, ${entry}: expected SHA-256 ${expected}, got ${got}`);
    }
    mkdirSync(folder, { recursive: true });
    for (const [entry, name] of Object.entries(model.entries)) copyFileSync(join(unpacked, entry), join(folder, name));
    // Written last, so that a folder with a model.json is complete.
    writeFileSync(join(folder, 'model.json'), `${JSON.stringify(model.description, null, 2)}\n`);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string', default: fileURLToPath(new URL('../../models', import.meta.url)) } },
});
const known = MODELS.map(({ description }) => description.model);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`unknown model ${unknown.join(', ')}; known are ${known.join(', ')}`);
  process.exit(2);
}
for (const model of MODELS) {
  const name = model.description.model;
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const folder = join(values.into, name);
  const present = isComplete(folder, model);
  if (!present) fetchModel(model, folder);
  console.log(`${name}: ${present ? 'already there' : 'fetched'}, ${folder}`);
}
