import { readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, replaceFile, syncFolder } from '@palimpsest/foundation';
import { Conflict, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { chooseTokenizer, chooseWeights, possibleData, usualData } from './choose-weights.ts';
import { CONFIG_FILES, deriveDescription, type Description, type Overrides } from './derive-description.ts';
import { downloadFile, type DownloadedFile } from './download-file.ts';
import { downloadProgress, type DownloadProgress } from './download-progress.ts';
import { namesIn } from './external-data.ts';
import type { Hub } from './hub.ts';
import { readListing, type Listing } from './listing.ts';
import type { ModelRepository } from './model-repository.ts';
import type { RetryOptions } from './retries.ts';
import { bytesOf, checkRoom } from './room.ts';
import { baseName } from './safe-path.ts';
import { checkTokenizer } from './tokenizer-kind.ts';

export type DownloadOptions = Readonly<{
  /** The folder that gets a folder for the model. */
  to: string;
  /** `int8`, `fp32`, or a path in the repository. */
  weights: string;
  overrides?: Overrides;
  /** For all files together. */
  maxBytes: number;
  retry?: RetryOptions;
  /** Called with the bytes on disk and in total. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}>;

/** Where the files of a model came from, as `model.json` records it. `path`: in the repository. */
export type ModelSource = Readonly<{
  hub: string;
  repository: string;
  commit: string;
  license?: string;
  files: readonly DownloadedFile[];
}>;

export type ModelJson = Description & Readonly<{ files: Readonly<Record<string, string>>; source: ModelSource }>;

/** `existed`: an earlier run had downloaded the same. */
export type DownloadedModel = Readonly<{ folder: string; description: ModelJson; existed: boolean }>;

const CONFIG_BYTES = 4 << 20;
const TOKENIZER_BYTES = 128 << 20;
const MAX_DATA_FILES = 64;
const RETRY: RetryOptions = { attempts: 6, delayMs: 1_000 };
const NAME = /^[A-Za-z0-9][\w.-]{0,150}$/;

/**
 * Downloads the files of a model at one commit, verifies each against its digest, and describes them in `model.json`. The model's folder
 * appears when it is complete; until then the files are in a hidden folder, where a later call continues.
 *
 * @throws InvalidValue naming the option for a value that cannot be derived
 * @throws Conflict if another model has this folder, or the model is too large
 * @throws Corrupt, NotFound, Forbidden or Unavailable from the hub
 */
export const downloadModel = async (hub: Hub, repository: ModelRepository, options: DownloadOptions): Promise<DownloadedModel> => {
  const { to, overrides = {}, maxBytes, signal } = options;
  const listing = await readListing(hub, repository, signal);
  const paths = [...listing.files.keys()];
  const weights = chooseWeights(paths, options.weights);
  const tokenizer = chooseTokenizer(paths, weights.path);
  const model = overrides.name ?? `${baseName(listing.repository)}-${weights.label}-${listing.commit.slice(0, 8)}`;
  if (!NAME.test(model)) throw new InvalidValue('--name', 'letters, digits, dots, hyphens and underscores, at most 151', model);

  const [folder, unfinished] = [join(to, model), join(to, `.${model}.download`)];
  await makeFolder(unfinished);
  const progress = downloadProgress(options.onProgress);
  const download = fileDownload(hub, listing, unfinished, options, progress);

  const { configs, sources } = await readConfigs(paths, unfinished, download);
  const description = deriveDescription({ ...listing, configs }, overrides, model);
  const earlier = await existing(folder, description, listing.commit, weights.path);
  if (earlier !== undefined) {
    await rm(unfinished, { recursive: true });
    return { folder, description: earlier, existed: true };
  }

  const files: Record<string, string> = {};
  const add = async (path: string, local: string, limit: number): Promise<void> => {
    const file = await download(path, local, limit);
    sources.push(file);
    files[local] = file.sha256;
  };
  const plan = async (...planned: readonly string[]): Promise<void> => {
    const bytes = bytesOf(listing.files, planned);
    await checkRoom(bytes, maxBytes, unfinished);
    progress.plan(bytes);
  };
  await plan(tokenizer, weights.path, ...usualData(paths, weights.path));
  await add(tokenizer, 'tokenizer.json', TOKENIZER_BYTES);
  checkTokenizer(await jsonOf(join(unfinished, 'tokenizer.json'), tokenizer));
  await add(weights.path, 'model.onnx', maxBytes);
  const data = await dataOf(paths, weights.path, join(unfinished, 'model.onnx'));
  await plan(tokenizer, weights.path, ...data);
  for (const path of data) await add(path, baseName(path), maxBytes);

  const { commit, license } = listing;
  const source = {
    hub: hub.endpoint,
    repository: listing.repository,
    commit,
    ...(license === undefined ? {} : { license }),
    files: sources,
  };
  const json: ModelJson = { ...description, files, source };
  await replaceFile(join(unfinished, 'model.json'), [Buffer.from(`${JSON.stringify(json, null, 2)}\n`)]);
  for (const path of configs.keys()) await rm(join(unfinished, localConfig(path)));
  await rename(unfinished, folder);
  await syncFolder(to);
  return { folder, description: json, existed: false };
};

type Download = (path: string, local: string, maxBytes: number) => Promise<DownloadedFile>;

/** Downloads files of the listing, and reports the bytes of all files together. */
const fileDownload = (
  hub: Hub,
  { repository, commit, files }: Listing,
  folder: string,
  { retry = RETRY, signal }: DownloadOptions,
  { onBytes, fileDone }: DownloadProgress,
): Download => {
  return async (path, local, maxBytes) => {
    const expected = files.get(path);
    if (expected === undefined) throw new NotFound('file', path);
    if ((expected.size ?? 0) > maxBytes) throw new Conflict(`${path} has ${expected.size} bytes, and at most ${maxBytes} are allowed`);
    const to = join(folder, local);
    const file = await downloadFile({ hub, repository, commit }, expected, { to, maxBytes, retry, onBytes, ...given({ signal }) });
    fileDone(file.size);
    return file;
  };
};

const given = <T>({ signal }: { signal: T | undefined }): { signal?: T } => (signal === undefined ? {} : { signal });

const localConfig = (path: string): string => `config.${path.replace('/', '.')}`;

/** The files that the description is derived from; they are removed afterwards. */
const readConfigs = async (paths: readonly string[], folder: string, download: Download) => {
  const configs = new Map<string, unknown>();
  const sources: DownloadedFile[] = [];
  for (const path of CONFIG_FILES.filter((candidate) => paths.includes(candidate))) {
    sources.push(await download(path, localConfig(path), CONFIG_BYTES));
    configs.set(path, await jsonOf(join(folder, localConfig(path)), path));
  }
  return { configs, sources };
};

/** Files with parts of the weights, which the graph names. */
const dataOf = async (paths: readonly string[], weights: string, graph: string): Promise<readonly string[]> => {
  const candidates = possibleData(paths, weights);
  const named = await namesIn(graph, candidates.map(baseName));
  if (named.length > MAX_DATA_FILES) throw new Conflict(`the weights have ${named.length} files; at most ${MAX_DATA_FILES} are supported`);
  return candidates.filter((path) => named.includes(baseName(path)));
};

/** The description of an earlier run with the same result. @throws Conflict if the folder holds something else */
const existing = async (folder: string, description: Description, commit: string, weights: string): Promise<ModelJson | undefined> => {
  if ((await stat(folder).catch(() => undefined)) === undefined) return undefined;
  const found = (await jsonOf(join(folder, 'model.json'), 'model.json').catch(() => undefined)) as Partial<ModelJson> | undefined;
  const { files, source, ...rest } = found ?? {};
  const isSame =
    files !== undefined &&
    source?.commit === commit &&
    source.files.some(({ path }) => path === weights) &&
    JSON.stringify(rest) === JSON.stringify(description);
  if (isSame) return found as ModelJson;
  throw new Conflict(`${folder} exists and holds another model: choose another name with --name, or remove the folder`);
};

const jsonOf = async (file: string, path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw new InvalidValue(path, 'JSON', undefined);
  }
};
