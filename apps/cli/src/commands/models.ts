import { InvalidArgumentError } from 'commander';
import type { ModelView, NewModel } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';
import { download, downloadFromHub, printDownload, withDescriptionOptions, withHubOptions, type HubOptions } from './models-hub.ts';

type LimitOptions = Readonly<{
  batchSize?: number;
  concurrency?: number;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  price?: number;
}>;
type EndpointOptions = Readonly<{
  model?: string;
  dimensions?: number;
  provider?: string;
  apiKeyVariable?: string;
  queryPrefix?: string;
  passagePrefix?: string;
  maxTokens?: number;
  sendDimensions?: true;
  timeoutMs?: number;
  retries?: number;
}>;
type AddOptions = LimitOptions & EndpointOptions & HubOptions & Readonly<{ onnx?: string; openai?: string }>;

const price = (raw: string): number => {
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('Must be a number from 0.');
  return value;
};
const count = wholeNumber(1, 1_000_000_000);

export const addModels: AddCommand = (program, asAction) => {
  const models = program.command('models').description('List, add, remove and test embedding models.');
  models.command('list', { isDefault: true }).description('List the models of the installation.').action(asAction(list));
  const addCommand = models
    .command('add')
    .description(
      'Make a model available: a Hugging Face repository, which is downloaded; an ONNX folder on the server; or an OpenAI-compatible endpoint (operators only).',
    )
    .argument('[repository]', 'hf:<owner>/<name>, or hf:<owner>/<name>@<revision>')
    .option('--onnx <folder>', 'folder of an ONNX model, below a folder for models of the server')
    .option('--openai <url>', 'address of an OpenAI-compatible endpoint; needs --model and --dimensions')
    .option('--model <name>', 'name of the model at the endpoint')
    .option('--provider <name>', 'first part of the embedding version; default: openai')
    .option('--api-key-variable <name>', 'environment variable of the server that holds the API key; starts with MODEL_API_KEY')
    .option('--send-dimensions', 'send the dimensions, for models that can shorten their vectors')
    .option('--timeout-ms <n>', 'milliseconds for one request', count)
    .option('--retries <n>', 'attempts after the first one', wholeNumber(0, 20))
    .option('--batch-size <n>', 'maximum number of texts in one request', count)
    .option('--concurrency <n>', 'maximum number of requests at the same time', count)
    .option('--requests-per-minute <n>', 'maximum number of requests in any 60 seconds', count)
    .option('--tokens-per-minute <n>', 'maximum number of tokens in any 60 seconds', count)
    .option('--price <dollars>', 'US dollars for one million tokens', price);
  withHubOptions(withDescriptionOptions(addCommand)).action(asAction(add));
  const downloadCommand = models
    .command('download')
    .description('Download an ONNX model from the Hugging Face hub, verify it and describe it. Talks to no server.')
    .argument('<repository>', 'hf:<owner>/<name>, or hf:<owner>/<name>@<revision>');
  withHubOptions(withDescriptionOptions(downloadCommand)).action(asAction(download));
  models
    .command('remove')
    .description('Make models unavailable that no scope uses (operators only).')
    .argument('<model...>', 'id or version')
    .action(asAction(remove));
  models
    .command('test')
    .description('Embed a few fixed sentences, and print dimensions, speed and digest (operators only).')
    .argument('<model>', 'id or version')
    .action(asAction(test));
};

/** Accepts a version instead of an id. */
const idOf = (model: string): string => model.replace(/[^A-Za-z0-9._-]/g, '_');

const list = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const models = await session.connect().models.list({ signal });
  output.result({ models }, () => {
    output.table(['id', 'version', 'state', 'declared by', 'limits', 'price', 'location'], models.map(rowOf));
    for (const { id, problem } of models) if (problem !== undefined) output.line(`${id}: ${problem}`);
  });
  return EXIT.ok;
};

const rowOf = ({ id, version, current, available, loaded, origin, limits = {}, pricePerMillionTokens, location }: ModelView): string[] => [
  id,
  version,
  !available ? 'not available' : [...(current ? ['current'] : []), ...(loaded === true ? ['loaded'] : [])].join(', '),
  origin ?? '',
  Object.entries(limits)
    .map(([name, value]) => `${name} ${value}`)
    .join(', '),
  pricePerMillionTokens === undefined ? '' : `$${pricePerMillionTokens} per million tokens`,
  location ?? '',
];

const add = async (session: Session, options: AddOptions, repository?: string): Promise<number> => {
  const { output, signal } = session;
  const model = modelOf(options, repository);
  // A download takes minutes: a server that does not respond is reported before it.
  if (repository !== undefined) await session.connect().models.list({ signal });
  const downloaded = repository === undefined ? undefined : await downloadFromHub(session, options, repository);
  const added = await session.connect().models.add(downloaded === undefined ? model : { ...model, onnx: downloaded.folder }, { signal });
  output.result(added, () => {
    if (downloaded !== undefined) printDownload(session, downloaded);
    output.line(`added ${added.version} as ${added.id}`);
    if (added.problem !== undefined) output.line(`not available on the server that responded: ${added.problem}`);
    else output.line(`next: palimpsest models test ${added.id}`);
  });
  return EXIT.ok;
};

/** Options that describe a model, and do so for downloads, too. */
const SHARED = ['dimensions', 'queryPrefix', 'passagePrefix', 'maxTokens'] as const;
const HUB_ONLY = ['to', 'hub', 'weights', 'maxSize', 'name', 'pooling', 'languages'] as const;

/** @throws UsageError for none or two kinds of models, and for an option of another kind */
const modelOf = (options: AddOptions, repository: string | undefined): NewModel => {
  const { onnx, openai, price: pricePerMillionTokens, batchSize, concurrency, requestsPerMinute, tokensPerMinute, ...rest } = options;
  if ([repository, onnx, openai].filter((kind) => kind !== undefined).length !== 1)
    throw new UsageError('give a repository (hf:<owner>/<name>), --onnx or --openai');
  const extra = Object.keys(rest).find((option) => {
    if (openai !== undefined) return HUB_ONLY.some((own) => own === option);
    return onnx !== undefined || ![...HUB_ONLY, ...SHARED].some((own) => own === option);
  });
  if (extra !== undefined) throw new UsageError(`${flagOf(extra)} is for ${kindOf(extra)}`);

  const limits = given({ batchSize, concurrency, requestsPerMinute, tokensPerMinute });
  const both = { ...(Object.keys(limits).length === 0 ? {} : { limits }), ...given({ pricePerMillionTokens }) };
  if (openai === undefined) return { onnx: onnx ?? '', ...both };
  const { model, dimensions, ...others }: EndpointOptions = rest;
  if (model === undefined || dimensions === undefined) throw new UsageError('--openai needs --model and --dimensions');
  return { openai: { baseUrl: openai, model, dimensions, ...given(others) }, ...both };
};

const flagOf = (option: string): string => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const kindOf = (option: string): string => {
  if (HUB_ONLY.some((own) => own === option)) return 'repositories (hf:<owner>/<name>)';
  return SHARED.some((own) => own === option)
    ? '--openai and repositories; model.json of the folder describes the model'
    : '--openai; model.json of the folder describes the model';
};

/** Without the options that were not given. */
const given = <T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };

const remove = async (session: Session, _options: unknown, models: readonly string[]): Promise<number> => {
  const { output, signal } = session;
  const ids = models.map(idOf);
  for (const id of ids) await session.connect().models.remove(id, { signal });
  output.result({ removed: ids }, () => ids.forEach((id) => output.line(`removed ${id}`)));
  return EXIT.ok;
};

const test = async (session: Session, _options: unknown, model: string): Promise<number> => {
  const { output, signal } = session;
  const result = await session.connect().models.test(idOf(model), { signal });
  output.result(result, () => {
    output.table(
      ['model', 'dimensions', 'first text', 'all texts', 'tokens/s', 'same vectors again'],
      [
        [
          result.version,
          String(result.dimensions),
          `${result.loadMs} ms`,
          `${result.texts} in ${result.ms} ms`,
          String(result.tokensPerSecond),
          result.repeatable ? 'yes' : 'no',
        ],
      ],
    );
    output.line(`digest ${result.digest}`);
    if (result.similarity !== undefined)
      output.line(
        `canary strings: lowest cosine ${result.similarity.toFixed(4)} with the recorded vectors (the same model: at least 0.99)`,
      );
  });
  return EXIT.ok;
};
