import { existsSync } from 'node:fs';
import nx from '@nx/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { anyLayer, layersOf, withRuntime, withTestKit } from './tools/lint/layers.mjs';
import palimpsest from './tools/lint/rules.mjs';

const SPECS = ['**/*.spec.ts', '**/test/**/*.ts', '**/test-*/**/*.ts', 'libs/test-kit/**/*.ts', 'e2e/**/*.ts'];

/** Restrictions on syntax; a later block replaces an earlier one, so they are put together by name. */
/** All types of a file may be exported together: a new event type has no second list. */
const noExportAll = {
  selector: 'ExportAllDeclaration[exportKind!="type"]',
  message: 'Name each export: a reader must see what a file offers.',
};
/** What is different each time a program runs comes in as a port: `System` of libs/foundation. */
const AMBIENT = 'Take it from the `System` that comes in as a parameter (libs/foundation/src/system), so that a simulation can repeat it.';
const noAmbientCalls = {
  selector:
    "MemberExpression[object.name='Date'][property.name='now'], NewExpression[callee.name='Date'][arguments.length=0], " +
    "MemberExpression[object.name='Math'][property.name='random'], MemberExpression[object.name='AbortSignal'][property.name='timeout'], " +
    "MemberExpression[object.name='process'][property.name='hrtime']",
  message: AMBIENT,
};
const ambientGlobals = ['setTimeout', 'setInterval', 'setImmediate', 'performance', 'crypto'].map((name) => ({ name, message: AMBIENT }));
const ambientImports = [
  { name: 'node:timers', message: AMBIENT },
  { name: 'node:timers/promises', message: AMBIENT },
  { name: 'node:perf_hooks', message: AMBIENT },
  {
    name: 'node:crypto',
    importNames: ['randomUUID', 'randomBytes', 'randomInt', 'randomFill', 'randomFillSync', 'webcrypto'],
    message: AMBIENT,
  },
];
/** Edges that no simulation runs: adapters, apps, tools, specs, the client, the folder with the real clock, chance and timers, and the loop of the simulation. */
const DETERMINISTIC = ['libs/*/src/**/*.ts'];
const AMBIENT_ALLOWED = ['libs/foundation/src/system/**', 'libs/simulation/src/kernel/**', 'libs/client/**', 'libs/test-kit/**', ...SPECS];

const noClock = {
  selector: "CallExpression[callee.object.name='Date'][callee.property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'The domain does not read the clock: time comes in as an argument.',
};
const noDice = {
  selector: "CallExpression[callee.object.name='Math'][callee.property.name='random'], MemberExpression[object.name='crypto']",
  message: 'The domain decides the same way every time: ids and chance come in as arguments.',
};
const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in one file per app (apps/<app>/src/config.ts); take a parameter.',
};

/** Telemetry of the native library is off only where this file was loaded first. */
const onnxRuntime = {
  name: 'onnxruntime-node',
  message: 'Import libs/adapters/onnx/src/onnx-runtime.ts (@palimpsest/adapters-onnx/runtime), which disables its telemetry.',
};

const noRawHtml = {
  selector: "JSXAttribute[name.name='dangerouslySetInnerHTML'], MemberExpression[property.name=/^(?:inner|outer)HTML$/]",
  message: 'What documents hold is shown as text, never as HTML.',
};

/** In a project's folder: its own TypeScript program. At the root: one for all of them, and one for the console, which has the browser's types. */
const ownProgram = ['tsconfig.spec.json', 'tsconfig.json'].find((file) => existsSync(file));
const typeInformation = ownProgram
  ? { tsconfigRootDir: process.cwd(), project: ownProgram }
  : { tsconfigRootDir: import.meta.dirname, project: ['tsconfig.all.json', 'apps/console/tsconfig.spec.json'] };

const boundaries = (constraints, allow = []) => [
  'error',
  { enforceBuildableLibDependency: true, allowCircularSelfDependency: true, allow, depConstraints: constraints },
];

export default tseslint.config(
  {
    ignores: [
      '**/kernels/**',
      '**/dist/**',
      '**/node_modules/**',
      '**/coverage/**',
      '**/build/**',
      '.nx/**',
      '**/jest.*.js',
      '**/*.wasm.d.ts',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  { plugins: { '@nx': nx, palimpsest } },
  {
    name: 'every file',
    rules: {
      complexity: ['error', { max: 16, variant: 'modified' }],
      'max-depth': ['error', 4],
      'max-params': ['error', 6],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'prefer-const': 'error',
      'no-restricted-imports': ['error', { paths: [onnxRuntime] }],
      'no-control-regex': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      // `for await (const first of stream) return first` is how one takes the first.
      'no-unreachable-loop': ['error', { ignore: ['ForOfStatement'] }],
      'no-unsafe-finally': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-fallthrough': 'error',
      'no-sparse-arrays': 'error',
      'palimpsest/reasoned-suppression': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    name: 'TypeScript, with types',
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: typeInformation },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': 'allow-with-description', minimumDescriptionLength: 10 }],
      'no-restricted-syntax': ['error', noExportAll, noEnvironment],
      'max-lines': ['error', { max: 300, skipComments: true, skipBlankLines: true }],
      '@nx/enforce-module-boundaries': boundaries(layersOf),
    },
  },
  {
    name: 'determinism: time, chance, ids and timers come in as ports',
    files: DETERMINISTIC,
    ignores: AMBIENT_ALLOWED,
    rules: {
      'no-restricted-globals': ['error', ...ambientGlobals],
      'no-restricted-imports': ['error', { paths: [onnxRuntime, ...ambientImports] }],
      'no-restricted-syntax': ['error', noExportAll, noEnvironment, noAmbientCalls],
    },
  },
  {
    name: 'the one import of onnxruntime-node',
    files: ['libs/adapters/onnx/src/onnx-runtime.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    name: 'the console: hooks of React as React wants them, and no HTML out of strings',
    files: ['apps/console/src/**/*.ts', 'apps/console/src/**/*.tsx'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'no-restricted-syntax': ['error', noExportAll, noEnvironment, noRawHtml],
    },
  },
  {
    name: 'apps read the environment in one file, which the entry file may hand it to',
    files: ['apps/*/src/config.ts', 'apps/*/src/main.ts', 'apps/*/src/program.ts'],
    rules: { 'no-restricted-syntax': ['error', noExportAll] },
  },
  {
    name: 'the HTTP edge: features and controllers, which speak HTTP through libs/http',
    files: ['libs/*/src/nest/**/*.ts'],
    ignores: SPECS,
    rules: { 'max-params': 'off', '@nx/enforce-module-boundaries': boundaries(withRuntime(layersOf)) },
  },
  {
    name: 'the domain: no clock, no dice, no environment, no packages, no Node',
    files: ['libs/knowledge/src/**/*.ts'],
    ignores: SPECS,
    rules: {
      'no-restricted-syntax': ['error', noExportAll, noEnvironment, noClock, noDice],
      'no-restricted-imports': ['error', { patterns: [{ regex: '^[^.]', message: 'The domain imports nothing but itself.' }] }],
    },
  },
  {
    name: 'the foundation: Node, and no packages',
    files: ['libs/foundation/src/**/*.ts'],
    ignores: ['libs/foundation/src/system/**', ...SPECS],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: ambientImports, patterns: [{ regex: '^(?![.]|node:)', message: 'The foundation imports nothing but Node.' }] },
      ],
    },
  },
  {
    name: 'specs: longer, freer, and with the test kit',
    files: SPECS,
    rules: {
      'max-lines': 'off',
      'max-params': 'off',
      'no-restricted-syntax': ['error', noExportAll],
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['describe', 'it', 'test'], package: 'node:test' }] },
      ],
      '@nx/enforce-module-boundaries': boundaries(withTestKit(withRuntime(layersOf)), [
        '../../../tools/distributed/**',
        '../../../tools/chromium/**',
      ]),
    },
  },
  {
    name: 'a test server: each handler follows the cases of the protocol one by one',
    files: ['tools/eventstore-server/*.mjs'],
    rules: { complexity: ['error', { max: 45, variant: 'modified' }], 'max-depth': ['error', 5] },
  },
  {
    name: 'scripts: plain JavaScript that talks on the console',
    files: ['**/*.mjs', '**/*.js'],
    rules: {
      'no-console': 'off',
      '@nx/enforce-module-boundaries': boundaries(anyLayer, ['../../../tools/distributed/**', '../../../tools/chromium/**']),
    },
  },
);
