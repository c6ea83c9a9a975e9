/**
 * Lets a tool import the project from source, including decorators: `@palimpsest/<lib>` resolves to its `src/index.ts`, and
 * files with decorators are compiled by SWC with the settings of the tests. So pages are never generated from an old build.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { inRoot } from '../setup/workspace.mjs';

const swc = JSON.parse(readFileSync(inRoot('.swcrc'), 'utf8'));

registerHooks({
  resolve: (name, context, next) => next(name, { ...context, conditions: ['@palimpsest/source', ...context.conditions] }),
  load: (url, context, next) => {
    if (!url.endsWith('.ts')) return next(url, context);
    const file = fileURLToPath(url);
    const { code } = transformSync(readFileSync(file, 'utf8'), { ...swc, swcrc: false, filename: file });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
