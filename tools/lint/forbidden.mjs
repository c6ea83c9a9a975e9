/**
 * Lines of code that lint must refuse, each with its rule, and lines that it must accept.
 * `file` is an existing file (its project determines the layer); its text is replaced only in memory.
 */
const BOUNDARIES = '@nx/enforce-module-boundaries';
const SYNTAX = 'no-restricted-syntax';

const uses = (name) => `import * as other from '${name}';\nexport const used = other;\n`;

export const refused = [
  { file: 'libs/knowledge/src/exports/values.ts', code: uses('node:fs'), rule: 'no-restricted-imports' },
  { file: 'libs/knowledge/src/exports/values.ts', code: uses('zod'), rule: 'no-restricted-imports' },
  { file: 'libs/knowledge/src/exports/values.ts', code: uses('@palimpsest/contracts'), rule: BOUNDARIES },
  { file: 'libs/knowledge/src/errors.ts', code: 'export const now = (): number => Date.now();\n', rule: SYNTAX },
  { file: 'libs/knowledge/src/errors.ts', code: 'export const now = (): Date => new Date();\n', rule: SYNTAX },
  { file: 'libs/knowledge/src/errors.ts', code: 'export const dice = (): number => Math.random();\n', rule: SYNTAX },
  { file: 'libs/adapters/onnx/src/index.ts', code: uses('onnxruntime-node'), rule: 'no-restricted-imports' },
  { file: 'libs/knowledge/src/exports/values.ts', code: uses('@palimpsest/foundation'), rule: BOUNDARIES },
  { file: 'libs/foundation/src/index.ts', code: uses('@palimpsest/knowledge/values'), rule: BOUNDARIES },
  { file: 'libs/foundation/src/index.ts', code: uses('zod'), rule: 'no-restricted-imports' },
  { file: 'libs/evaluation/src/index.ts', code: uses('@palimpsest/knowledge/values'), rule: BOUNDARIES },
  { file: 'libs/contracts/src/index.ts', code: uses('@palimpsest/runtime'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/ingestion'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/adapters-sqlite'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/runtime'), rule: BOUNDARIES },
  { file: 'libs/query/src/nest/query-feature.ts', code: uses('@palimpsest/adapters-sqlite'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/test-kit'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: uses('../../ingestion/src/index.ts'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: 'export const key = process.env.KEY;\n', rule: SYNTAX },
  { file: 'libs/query/src/index.ts', code: "export * from '@palimpsest/knowledge/values';\n", rule: SYNTAX },
  {
    file: 'libs/query/src/index.ts',
    code: 'export const loose = (value: any): string => String(value);\n',
    rule: '@typescript-eslint/no-explicit-any',
  },
  {
    file: 'libs/query/src/index.ts',
    code: 'export const go = (): void => {\n  Promise.resolve(1);\n};\n',
    rule: '@typescript-eslint/no-floating-promises',
  },
  { file: 'libs/adapters/sqlite/src/index.ts', code: uses('@palimpsest/query'), rule: BOUNDARIES },
  { file: 'libs/adapters/sqlite/src/index.ts', code: uses('@palimpsest/adapters-folder'), rule: BOUNDARIES },
  { file: 'libs/runtime/src/index.ts', code: uses('@palimpsest/adapters-sqlite'), rule: BOUNDARIES },
  { file: 'libs/http/src/index.ts', code: uses('@palimpsest/tenancy'), rule: BOUNDARIES },
  { file: 'libs/http/src/index.ts', code: uses('@palimpsest/telemetry'), rule: BOUNDARIES },
  { file: 'libs/telemetry/src/index.ts', code: uses('@palimpsest/adapters-sqlite'), rule: BOUNDARIES },
  { file: 'libs/tenancy/src/index.ts', code: uses('@palimpsest/projections'), rule: BOUNDARIES },
  { file: 'libs/tenancy/src/access/api-keys.ts', code: uses('@palimpsest/http'), rule: BOUNDARIES },
  { file: 'libs/query/src/nest/query-feature.ts', code: uses('@palimpsest/telemetry'), rule: BOUNDARIES },
  { file: 'libs/client/src/index.ts', code: uses('@palimpsest/knowledge/values'), rule: BOUNDARIES },
  { file: 'libs/client/src/index.ts', code: uses('@palimpsest/foundation'), rule: BOUNDARIES },
  { file: 'apps/console/src/session/rights.ts', code: uses('@palimpsest/knowledge/values'), rule: BOUNDARIES },
  { file: 'apps/console/src/session/rights.ts', code: uses('../../../../libs/http/src/index.ts'), rule: BOUNDARIES },
  {
    file: 'apps/console/src/session/rights.ts',
    code: 'export const show = (element: HTMLElement, text: string): void => void (element.innerHTML = text);\n',
    rule: SYNTAX,
  },
  { file: 'libs/test-kit/src/index.ts', code: uses('@palimpsest/adapters-folder'), rule: BOUNDARIES },
  { file: 'apps/platform/src/index.ts', code: uses('@palimpsest/e2e-support/ask'), rule: BOUNDARIES },
  { file: 'e2e/crash/src/tally.ts', code: uses('../../disk/src/faults.ts'), rule: BOUNDARIES },
  { file: 'libs/query/src/index.ts', code: '/* eslint-disable no-console */\nconsole.log(1);\n', rule: 'palimpsest/reasoned-suppression' },
];

export const allowed = [
  { file: 'apps/console/src/session/rights.ts', code: uses('@palimpsest/client') },
  { file: 'libs/query/src/nest/query-feature.ts', code: uses('@palimpsest/runtime') },
  { file: 'libs/query/src/nest/query-feature.ts', code: uses('@palimpsest/http') },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/knowledge/values') },
  { file: 'libs/query/src/index.ts', code: uses('@palimpsest/contracts') },
  { file: 'libs/foundation/src/index.ts', code: uses('node:fs') },
  { file: 'libs/contracts/src/index.ts', code: uses('@palimpsest/foundation') },
  { file: 'libs/adapters/sqlite/src/index.ts', code: uses('@palimpsest/knowledge/values') },
  { file: 'libs/adapters/sqlite/src/index.ts', code: uses('@palimpsest/foundation') },
  { file: 'apps/platform/src/index.ts', code: uses('@palimpsest/adapters-sqlite') },
  { file: 'apps/platform/src/index.ts', code: uses('@palimpsest/query') },
  { file: 'e2e/crash/src/tally.ts', code: uses('@palimpsest/e2e-support/ask') },
];
