/**
 * Finds words of the deny-list (`words.mjs`) in code, comments, texts and docs.
 *
 *   node tools/lint/check-words.mjs [--count] [path]...     (default: all files that git knows)
 *
 * A line that must hold such a word (data of a test, a name of another project) says so: `words: allow`. Parts of names count:
 * `toldAt` is found, `untold` is not.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { EXCLUDED, WORDS } from './words.mjs';

const TEXT = ['*.ts', '*.tsx', '*.mjs', '*.js', '*.css', '*.html', '*.md', '*.yaml', '*.yml', '*.sh'];
const ALLOW = 'words: allow';

/** As a word, or as a part of a name in camel case. */
const patternOf = (word) => {
  const spaced = word.replaceAll(' ', '\\s+');
  const capital = spaced[0].toUpperCase() + spaced.slice(1);
  return new RegExp(`(?<![a-zA-Z])(?:${spaced}|${capital}|${spaced.toUpperCase()})(?![a-z])|(?<=[a-z])${capital}(?![a-z])`);
};

const PATTERNS = Object.entries(WORDS).map(([word, instead]) => ({ word, instead, pattern: patternOf(word) }));

/** Of one text: line, word and what to write instead. */
export const wordsIn = (text) =>
  text.split('\n').flatMap((line, index) => {
    if (line.includes(ALLOW)) return [];
    return PATTERNS.filter(({ pattern }) => pattern.test(line)).map(({ word, instead }) => ({ line: index + 1, word, instead }));
  });

const filesBelow = (root, paths) =>
  execFileSync('git', ['ls-files', '-z', '--', ...(paths.length > 0 ? paths : ['.'])], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => TEXT.some((glob) => file.endsWith(glob.slice(1))) && !EXCLUDED.some((excluded) => file.startsWith(excluded)));

/** `file:line: "word": write …`, one for each finding. */
export const checkWords = (root, paths = []) =>
  filesBelow(root, paths).flatMap((file) =>
    wordsIn(readFileSync(`${root}/${file}`, 'utf8')).map(({ line, word, instead }) => `${file}:${line}: "${word}": write ${instead}`),
  );

/** Lines with the number of their findings, so that the check itself stays in force. */
const SELF_TEST = [
  ['// is told by whoever asks', 2],
  ['const toldAt = lastTold(anewOne);', 2],
  ['an untold story of doors that foretold', 0],
  ['it lies\tin a folder', 1],
  ["const text = 'told'; // words: allow", 0],
];

const checkSelf = () => {
  for (const [line, expected] of SELF_TEST)
    if (wordsIn(line).length !== expected)
      throw new Error(`check-words: expected ${expected} findings in "${line}", got ${wordsIn(line).length}`);
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  checkSelf();
  const args = process.argv.slice(2);
  const findings = checkWords(
    process.cwd(),
    args.filter((arg) => arg !== '--count'),
  );
  if (!args.includes('--count')) for (const finding of findings) console.log(finding);
  console.log(`${findings.length} words of the deny-list`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
