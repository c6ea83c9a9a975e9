/**
 * `npm run house`: the figures by which the structure of this code base is judged. Each is measured, and compared with the worst value that
 * `limits.json` allows; a figure that got worse ends the run with exit code 1. A figure that got better is written into `limits.json` with
 * `npm run house -- --write`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from '../setup/workspace.mjs';
import { FIGURES } from './figures.mjs';

const LIMITS = inRoot('tools', 'house', 'limits.json');
const limits = JSON.parse(readFileSync(LIMITS, 'utf8'));

const measured = {};
for (const { name, measure } of FIGURES) measured[name] = await measure();

const worse = [];
for (const { name, goal, what } of FIGURES) {
  const { value, found = [] } = measured[name];
  const limit = limits[name];
  if (limit === undefined || value > limit) worse.push(name);
  console.log(
    `${String(value).padStart(6)}  ${what} (goal: ${goal === 0 ? '0' : `at most ${goal}`}${limit === undefined ? '' : `, limit ${limit}`})`,
  );
  if (limit === undefined || value > limit) for (const one of found.slice(0, 20)) console.log(`          ${one}`);
}
if (process.argv.includes('--write')) {
  writeFileSync(
    LIMITS,
    `${JSON.stringify(Object.fromEntries(FIGURES.map(({ name }) => [name, Math.min(measured[name].value, limits[name] ?? Infinity)])), null, 2)}\n`,
  );
} else if (worse.length > 0) {
  console.error(`house: worse than before: ${worse.join(', ')}`);
  process.exitCode = 1;
} else {
  console.log('house: no figure is worse than before');
}
