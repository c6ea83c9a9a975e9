/** Checks the links, anchors and paths in every Markdown file of the repository. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { inRoot } from '../setup/workspace.mjs';
import { anchorOf } from './markdown.mjs';

const IGNORED = (name) => name === 'node_modules' || name === 'dist' || name.startsWith('.');

const markdownFiles = () =>
  globSync('**/*.md', { cwd: inRoot(), exclude: (entry) => IGNORED(entry.name ?? entry.split('/').at(-1)) }).sort();

const withoutFences = (text) => text.replaceAll(/^(```|~~~).*?^\1/gms, (block) => block.replaceAll(/[^\n]/g, ''));

const anchorsIn = (text) => {
  const seen = new Map();
  return new Set(
    [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) => {
      const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''));
      const times = seen.get(anchor) ?? 0;
      seen.set(anchor, times + 1);
      return times === 0 ? anchor : `${anchor}-${times}`;
    }),
  );
};

const lineOf = (text, index) => text.slice(0, index).split('\n').length;

/** Folders of the repository: a backticked text that begins with one of them counts as a path. */
const PATH = /^(?:apps|libs|e2e|tools|docs|models|docker|deploy)\/[\w@./*{},-]+$/;
/** A source file, by its name or the end of its path: it must exist somewhere in the repository. */
const SOURCE = /^(?=.*\w\.)(?!\.\w)[\w@./*{},-]+\.(?:ts|tsx|mjs|c|wat|css)$/;
/** Created by a build or by a user: not part of a clone. */
const BUILT = /(?:^|\/)(?:dist|node_modules)(?:\/|$)|^docker\/\.env$/;

const linksIn = (file, text) =>
  [
    ...withoutFences(text)
      .replaceAll(/`[^`\n]*`/g, (span) => ' '.repeat(span.length))
      .matchAll(/\[[^\]]*\]\(([^)\s]+)[^)]*\)/g),
  ].flatMap(({ 1: target, index }) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
    const [path, anchor] = target.split('#');
    const aimed = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    const at = `${file}:${lineOf(text, index)}`;
    if (!existsSync(inRoot(aimed))) return [`${at}: dead link ${target}`];
    if (anchor === undefined || !aimed.endsWith('.md') || anchorsIn(readFileSync(inRoot(aimed), 'utf8')).has(anchor)) return [];
    return [`${at}: no heading for ${target}`];
  });

/** Paths may start at the root or at the file's own folder, and contain `*`. */
const pathsIn = (file, text) =>
  [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].flatMap(({ 1: span, index }) => {
    const path = span.trim();
    if (BUILT.test(path)) return [];
    if (SOURCE.test(path) && !PATH.test(path))
      return isSomewhere(path.replace(/^(?:\.{1,2}\/)+/, '')) ? [] : [`${file}:${lineOf(text, index)}: no such file ${path}`];
    if (!PATH.test(path)) return [];
    const found = [inRoot(), inRoot(dirname(file))].some((from) =>
      /[*{]/.test(path) ? globSync(path, { cwd: from }).length > 0 : existsSync(join(from, path)),
    );
    return found ? [] : [`${file}:${lineOf(text, index)}: no such path ${path}`];
  });

let sources;
/** Whether any file of the repository has a path that ends like this, including `*` and `{a,b}`. */
const isSomewhere = (path) => {
  sources ??= globSync('**/*.{ts,tsx,mjs,c,wat,css}', {
    cwd: inRoot(),
    exclude: (entry) => IGNORED(entry.name ?? entry.split('/').at(-1)),
  });
  return sources.some((source) => matchesGlob(`/${source}`, `/**/${path}`));
};

/** One line for each dead reference. */
export const deadReferences = () =>
  markdownFiles().flatMap((file) => {
    const text = readFileSync(inRoot(file), 'utf8');
    return [...linksIn(file, text), ...pathsIn(file, text)];
  });
