import { InvalidArgumentError, type Command } from 'commander';
import { join, resolve } from 'node:path';
import type { DownloadedModel, Overrides } from '@palimpsest/adapters-hugging-face';
import { EXIT, UsageError } from '../failure.ts';
import { findDataFolder } from '../local-server.ts';
import { oneOf, wholeNumber } from '../options.ts';
import { sizeOf } from '../render/size.ts';
import type { Session } from '../session.ts';

export type HubOptions = Readonly<{
  to?: string;
  hub?: string;
  weights?: string;
  maxSize?: number;
  name?: string;
  dimensions?: number;
  pooling?: string;
  maxTokens?: number;
  queryPrefix?: string;
  passagePrefix?: string;
  languages?: readonly string[];
}>;

const DEFAULT_WEIGHTS = 'int8';
const DEFAULT_MAX_GB = 4;
const POOLINGS = ['mean', 'cls', 'last'] as const;

const languageCodes = (raw: string): readonly string[] => {
  const codes = raw.split(',').map((code) => code.trim());
  if (!codes.every((code) => /^[a-z]{2}$/.test(code))) throw new InvalidArgumentError('Must be ISO 639-1 codes, separated by commas.');
  return codes;
};

/** The options of a download that `models add` does not have for endpoints. */
export const withHubOptions = (command: Command): Command =>
  command
    .option('--to <folder>', 'folder that gets the folder of the model; default: models in the data folder of the server on this machine')
    .option('--weights <kind>', `int8, fp32, or the path of an .onnx file in the repository; default: ${DEFAULT_WEIGHTS}`)
    .option('--hub <url>', 'address of the hub or a mirror (HF_ENDPOINT); a token is read from HF_TOKEN')
    .option('--name <name>', 'name of the model and of its folder; default: repository, weights and commit')
    .option('--pooling <kind>', `${POOLINGS.join(', ')}, where the repository does not state it`, oneOf(POOLINGS))
    .option(
      '--languages <codes>',
      'languages that the model was trained for, such as de,en; default: those of its card, none for many',
      languageCodes,
    )
    .option('--max-size <gigabytes>', `maximum size of all files; default: ${DEFAULT_MAX_GB}`, wholeNumber(1, 1_000));

/** The options that describe a model; they also exist for endpoints. */
export const withDescriptionOptions = (command: Command): Command =>
  command
    .option('--dimensions <n>', 'dimensions of its vectors', wholeNumber(1, 1_000_000_000))
    .option('--query-prefix <text>', 'prepended to each query')
    .option('--passage-prefix <text>', 'prepended to each passage')
    .option('--max-tokens <n>', 'maximum number of tokens in one text', wholeNumber(1, 1_000_000_000));

/** Downloads a repository of the hub and prints where its model is. @throws UsageError without a folder for it */
export const downloadFromHub = async (
  { output, cwd, config, signal }: Session,
  options: HubOptions,
  reference: string,
): Promise<DownloadedModel> => {
  const { downloadModel, modelRepository, openHub } = await import('@palimpsest/adapters-hugging-face');
  const data = findDataFolder(cwd, config.data);
  if (options.to === undefined && data === undefined)
    throw new UsageError('no data folder of a server on this machine: name a folder for the model with --to');
  const to = options.to === undefined ? join(data as string, 'models') : resolve(cwd, options.to);
  const endpoint = options.hub ?? config.hubEndpoint;
  const hub = openHub({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(config.hubToken === undefined ? {} : { token: config.hubToken }),
  });
  let report: ReturnType<typeof output.progress> | undefined;
  let planned = 0;
  const onProgress = (done: number, total: number): void => {
    if (total !== planned) {
      report?.stop();
      report = output.progress('downloading (MB)', megabytes(total));
      planned = total;
    }
    report?.update(megabytes(done));
  };
  try {
    return await downloadModel(hub, modelRepository(reference), {
      to,
      weights: options.weights ?? DEFAULT_WEIGHTS,
      overrides: overridesOf(options),
      maxBytes: (options.maxSize ?? DEFAULT_MAX_GB) * 1e9,
      onProgress,
      signal,
    });
  } finally {
    report?.stop();
  }
};

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

const overridesOf = ({ name, dimensions, pooling, maxTokens, queryPrefix, passagePrefix, languages }: HubOptions): Overrides =>
  Object.fromEntries(
    Object.entries({ name, dimensions, pooling, maxTokens, queryPrefix, passagePrefix, languages }).filter(
      ([, value]) => value !== undefined,
    ),
  );

export const download = async (session: Session, options: HubOptions, reference: string): Promise<number> => {
  const model = await downloadFromHub(session, options, reference);
  const { output } = session;
  output.result({ folder: model.folder, existed: model.existed, model: model.description }, () => {
    printDownload(session, model);
    output.line(`next: palimpsest models add --onnx ${model.folder}`);
  });
  return EXIT.ok;
};

export const printDownload = ({ output }: Session, { folder, description, existed }: DownloadedModel): void => {
  const { source, dimensions, pooling, maxTokens, queryPrefix, passagePrefix } = description;
  const bytes = source.files.reduce((sum, { size }) => sum + size, 0);
  output.line(
    `${existed ? 'already there:' : 'downloaded'} ${source.repository} at ${source.commit} (${sizeOf(bytes)}, licence ${source.license ?? 'not stated'})`,
  );
  output.line(
    `${dimensions} dimensions, ${pooling} pooling, ${maxTokens} tokens, prefixes ${JSON.stringify(queryPrefix)} and ${JSON.stringify(passagePrefix)}`,
  );
  output.line(folder);
};
