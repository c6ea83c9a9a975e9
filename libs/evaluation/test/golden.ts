import { readFileSync } from 'node:fs';

/** Expected values, written by tools/eval/golden-evaluation.py. */
export const golden = (name: 'diversity' | 'measures' | 'rankings' | 'statistics'): unknown =>
  JSON.parse(readFileSync(new URL(`golden/${name}.json`, import.meta.url), 'utf8'));
