/** Finds import cycles between source files, including type imports: files in a cycle cannot be understood separately. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const SOURCES = ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts', 'libs/adapters/*/src/**/*.ts', 'e2e/*/src/**/*.ts'];

const relativeImports = (root, file) =>
  ts
    .preProcessFile(readFileSync(join(root, file), 'utf8'))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)));

/** Each cycle as the list of its files, found by a depth-first search that visits every file once. */
export const cyclesIn = (graph) => {
  const cycles = [];
  const done = new Set();
  const path = [];
  const visit = (file) => {
    if (done.has(file)) return;
    const at = path.indexOf(file);
    if (at >= 0) return void cycles.push([...path.slice(at), file]);
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
};

/** One line for each cycle. */
export const checkCycles = (root) => {
  const files = globSync(SOURCES, { cwd: root }).sort();
  const graph = new Map(files.map((file) => [file, relativeImports(root, file)]));
  return cyclesIn(graph).map((cycle) => `import cycle: ${cycle.join(' → ')}`);
};
