/** Each figure: what it counts, the goal, and a function that returns the value with the places that it found. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { checkCycles } from '../lint/check-cycles.mjs';
import { checkWords } from '../lint/check-words.mjs';
import { inRoot } from '../setup/workspace.mjs';
import { TRIALS } from './trials.mjs';

const root = inRoot();
const read = (file) => readFileSync(inRoot(file), 'utf8');
const tracked = (...patterns) =>
  execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(inRoot(file)));
const counted = (found) => ({ value: found.length, found });

/** A use case of each feature by which a file that puts features together is recognised. */
const USE_CASES = [
  /new SearchKnowledgeHandler\(/,
  /new (?:SubmitDocument|ProcessDocument)\(/,
  /new (?:RebuildReadModels|Relay)\(/,
  /new ReembedScope\(/,
];

/** Files that put the use cases of several features together by hand. */
const compositionRoots = () =>
  tracked('apps/*.ts', 'libs/*.ts', 'e2e/*.ts', 'tools/*.mjs').filter(
    (file) => !/\.spec\.ts$/.test(file) && USE_CASES.filter((pattern) => pattern.test(read(file))).length > 1,
  );

/** Code that prettier would write differently. */
export const unformatted = async () => {
  const found = [];
  for (const file of tracked('*.ts', '*.tsx', '*.mjs', '*.js')) {
    if ((await prettier.getFileInfo(inRoot(file), { ignorePath: inRoot('.prettierignore') })).ignored) continue;
    const options = await prettier.resolveConfig(inRoot(file));
    if (!(await prettier.check(read(file), { ...options, filepath: file }))) found.push(file);
  }
  return found;
};

/** The largest entry point of the domain. `export type *` counts as the types that the file declares. */
const knowledgeExports = () => {
  const sizes = globSync('libs/knowledge/src/exports/*.ts', { cwd: root }).map((file) => {
    const names = [...read(file).matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list]) =>
      list.split(',').filter((name) => name.trim() !== ''),
    );
    const whole = [...read(file).matchAll(/export type \* from '([^']+)'/g)].flatMap(([, from]) => [
      ...read(join('libs/knowledge/src/exports', from)).matchAll(/^export type /gm),
    ]);
    return { file, size: names.length + whole.length };
  });
  return { value: Math.max(...sizes.map(({ size }) => size)), found: sizes.map(({ file, size }) => `${file}: ${size}`) };
};

/** Ports of the domain for which the test kit has no contract kit `describe<Port>`. */
const portsWithoutKit = () => {
  const kits = new Set(read('libs/test-kit/src/index.ts').match(/\bdescribe\w+/g));
  const ports = tracked('libs/knowledge/src/ports/*.ts').flatMap((file) =>
    [...read(file).matchAll(/^export interface (\w+)/gm)].map(([, name]) => ({ file, name })),
  );
  return ports
    .filter(({ name }) => !kits.has(`describe${name}`) && !kits.has(`describe${PARTS_OF_PORTS[name]}`))
    .map(({ file, name }) => `${name} (${file})`);
};

/** Interfaces that only a port returns or extends, with the port whose kit covers them. */
const PARTS_OF_PORTS = {
  CatalogReader: 'Catalog',
  CatalogStore: 'Catalog',
  CatalogWork: 'Catalog',
  CatalogContents: 'Catalog',
  Consumer: 'MessageBus',
  IndexStore: 'VectorIndex',
  LeaseMembership: 'PartitionLeases',
  LexicalSearch: 'LexicalIndex',
  // `describeSharedWords` runs the same promises for an index of words.
  OrderedWrites: 'SharedVectors',
  ScopeCipher: 'ScopeKeys',
  // A model behind its cache: `aTenantsView` runs the kit for it.
  TenantEmbeddings: 'EmbeddingProvider',
  VectorSearch: 'VectorIndex',
  // It returns the live read models; their position and `serving` are those of `ReadModels`.
  Views: 'ReadModels',
};

/** Parts of the core of search that have no spec in their library. */
const coreWithoutSpec = () =>
  [
    'pipeline/search-stages',
    'pipeline/visibility-filter',
    'context/build-context',
    'retrieval-records/retrieval-recorder',
    'search/search-knowledge',
  ]
    .map((name) => `libs/query/src/${name}.spec.ts`)
    .filter((file) => !existsSync(inRoot(file)));

const trial = (name) => async () => ({ value: TRIALS[name].files.length, found: TRIALS[name].files });

export const FIGURES = [
  {
    name: 'compositionRoots',
    goal: 1,
    what: 'composition roots next to features, including createPlatform',
    measure: async () => counted(['libs/platform/src/create-platform.ts', ...compositionRoots()]),
  },
  { name: 'importCycles', goal: 0, what: 'import cycles', measure: async () => counted(checkCycles(root)) },
  { name: 'unformatted', goal: 0, what: 'files that the formatter would change', measure: async () => counted(await unformatted()) },
  { name: 'words', goal: 0, what: 'words of the deny-list', measure: async () => counted(checkWords(root)) },
  { name: 'knowledgeExports', goal: 60, what: 'exports of the largest entry point of knowledge', measure: async () => knowledgeExports() },
  {
    name: 'coreWithoutSpec',
    goal: 0,
    what: 'parts of the core of search without a spec in their library',
    measure: async () => counted(coreWithoutSpec()),
  },
  { name: 'portsWithoutKit', goal: 0, what: 'ports without a contract kit', measure: async () => counted(portsWithoutKit()) },
  ...Object.entries(TRIALS).map(([name, { what, goal }]) => ({ name, goal, what: `files touched by ${what}`, measure: trial(name) })),
];
