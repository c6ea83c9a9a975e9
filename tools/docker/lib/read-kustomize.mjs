/** Reads the folders of deploy/kustomize like kustomize, for the features in use: resources, generators from files, components. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const read = (file) => readFileSync(file, 'utf8');

/** @throws Error with the place of invalid YAML */
export const documentsIn = (text, file) =>
  parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${basename(file)}: ${error.message}`);
    return document.toJS();
  });

/** `NAME=value` lines, as kustomize's `envs` reads them. */
export const envFile = (text) => Object.fromEntries([...text.matchAll(/^([A-Za-z_]\w*)=(.*)$/gm)].map(([, name, value]) => [name, value]));

/** @returns {{ resources: object[], configs: Map<string, object>, files: string[] }} */
export const readBase = (folder) => {
  const { resources = [], configMapGenerator = [] } = parse(read(join(folder, 'kustomization.yaml')));
  const configs = new Map(
    configMapGenerator.map(({ name, envs = [] }) => [name, Object.assign({}, ...envs.map((file) => envFile(read(join(folder, file)))))]),
  );
  return { resources: resources.flatMap((file) => documentsIn(read(join(folder, file)), file)), configs, files: resources };
};

/** Checks that everything that an overlay or component names exists: files, patches' targets, images. */
export const danglingIn = (root, folder, resources) => {
  const file = relative(root, join(folder, 'kustomization.yaml'));
  const {
    resources: paths = [],
    components = [],
    patches = [],
    images = [],
    secretGenerator = [],
  } = parse(read(join(folder, 'kustomization.yaml')));
  const known = new Set(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const used = resources.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []).map(({ image }) => image.split(':')[0]);
  const targets = patches
    .map(({ target, patch }) => target ?? parse(patch))
    .map(({ kind, name, metadata }) => `${kind} ${name ?? metadata?.name}`);
  return [
    ...[...paths, ...components].filter((path) => !existsSync(join(folder, path))).map((path) => `${path} does not exist`),
    ...targets.filter((target) => !known.has(target)).map((target) => `patches ${target}, which does not exist`),
    ...images.filter(({ name }) => !used.includes(name)).map(({ name }) => `renames the image ${name}, which is not used`),
    ...images.filter(({ newTag }) => !newTag || newTag === 'latest').map(({ name }) => `does not pin the tag of ${name}`),
    ...secretGenerator
      .flatMap(({ envs = [] }) => envs)
      .filter((path) => !existsSync(join(folder, `${path}.example`)))
      .map((path) => `${path}.example does not exist`),
    // The secret itself must never be committed.
    ...secretGenerator
      .flatMap(({ envs = [] }) => envs)
      .filter(
        (path) =>
          !read(join(dirname(dirname(folder)), '.gitignore'))
            .split('\n')
            .includes(basename(path)),
      )
      .map((path) => `git does not ignore ${path}`),
  ].map((finding) => `${file}: ${finding}`);
};
