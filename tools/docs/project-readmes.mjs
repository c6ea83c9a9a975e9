/**
 * Checks the README of each project (a folder in `apps`, `libs`, `libs/adapters`, `e2e` or `tools`): it exists, names every folder of the project's
 * sources, and in its tables of files names only what exists in the project.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { inRoot } from '../setup/workspace.mjs';

const PROJECTS = ['apps/*/', 'libs/*/', 'libs/adapters/*/', 'e2e/*/', 'tools/*/'];
/** Not a project but a folder of projects. */
const ONLY_A_FOLDER = 'libs/adapters';
const IGNORED = (name) => name === 'node_modules' || name === 'dist' || name === '__pycache__' || name.startsWith('.');

/** Headers of tables whose first column names files and folders: "file", "file in `src/log`", "folder of `src`", "in `src`". */
const FILE_TABLE = /^(?:files?|folder|path)\b|^in `/;
const A_NAME = /^[\w@.*{},/-]+$/;

/** The backticked names in the first column of such tables, each with its line. */
const namesInTables = (text) => {
  const lines = text.split('\n');
  let isFileTable = false;
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|')) isFileTable = false;
    else if (/^\|[ :|-]+$/.test(lines[index + 1] ?? '')) isFileTable = FILE_TABLE.test(line.split('|')[1].trim());
    else if (isFileTable) return [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => ({ name, line: index + 1 }));
    return [];
  });
};

const isNamed = (text, folder) => new RegExp(`\`[^\`]*(?<![\\w-])${folder}(?![\\w-])[^\`]*\``).test(text);

/**
 * One line for each finding in the README of a project.
 * `project`: `folder`; `text` of its README, if it has one; `entries`, the paths of its files and folders; `folders`, those that it must name
 */
export const findingsInReadme = ({ folder, text, entries, folders }) => {
  const file = `${folder}/README.md`;
  if (text === undefined) return [`${file}: missing; say what ${folder} is for and list what it contains`];
  const names = namesInTables(text);
  const exists = (name) => entries.some((entry) => matchesGlob(`/${entry}`, `/**/${name.replace(/\/$/, '')}`));
  return [
    ...folders.filter((name) => !isNamed(text, name)).map((name) => `${file}: does not name the folder ${name}`),
    ...names.filter(({ name }) => A_NAME.test(name) && !exists(name)).map(({ name, line }) => `${file}:${line}: ${folder} has no ${name}`),
    ...(names.length > 0 || folders.length > 0 ? [] : [`${file}: lists no files (a table with the header "file" or "in \`src\`")`]),
  ];
};

const entriesOf = (folder) =>
  globSync('**/*', { cwd: inRoot(folder), exclude: (entry) => IGNORED(entry.name ?? entry.split('/').at(-1)) }).sort();

const projectIn = (folder) => {
  const readme = inRoot(folder, 'README.md');
  const sources = existsSync(inRoot(folder, 'src')) ? join(folder, 'src') : folder;
  return {
    folder,
    text: existsSync(readme) ? readFileSync(readme, 'utf8') : undefined,
    entries: entriesOf(folder),
    folders: globSync('*/', { cwd: inRoot(sources) })
      .map((name) => name.replace(/\/$/, ''))
      .filter((name) => !IGNORED(name)),
  };
};

export const projects = () =>
  globSync(PROJECTS, { cwd: inRoot() })
    .map((folder) => folder.replace(/\/$/, ''))
    .filter((folder) => folder !== ONLY_A_FOLDER && entriesOf(folder).length > 0)
    .sort()
    .map(projectIn);
