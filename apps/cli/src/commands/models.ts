import { InvalidArgumentError } from 'commander';
import type { ModelView, NewModel } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

type AddOptions = Readonly<{
  onnx?: string;
  openai?: string;
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
  batchSize?: number;
  concurrency?: number;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  price?: number;
}>;

const price = (raw: string): number => {
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value) || value < 0) throw new InvalidArgumentError('Must be a number from 0.');
  return value;
};
const count = wholeNumber(1, 1_000_000_000);

export const addModels: AddCommand = (program, asAction) => {
  const models = program.command('models').description('List, add, remove and test embedding models.');
  models.command('list', { isDefault: true }).description('List the models of the installation.').action(asAction(list));
  models
    .command('add')
    .description('Make a model available: an ONNX folder on the server, or an OpenAI-compatible endpoint (operators only).')
    .option('--onnx <folder>', 'folder of an ONNX model, below a folder for models of the server')
    .option('--openai <url>', 'address of an OpenAI-compatible endpoint; needs --model and --dimensions')
    .option('--model <name>', 'name of the model at the endpoint')
    .option('--dimensions <n>', 'dimensions of its vectors', count)
    .option('--provider <name>', 'first part of the embedding version; default: openai')
    .option('--api-key-variable <name>', 'environment variable of the server that holds the API key; starts with MODEL_API_KEY')
    .option('--query-prefix <text>', 'prepended to each query')
    .option('--passage-prefix <text>', 'prepended to each passage')
    .option('--max-tokens <n>', 'maximum number of tokens in one text', count)
    .option('--send-dimensions', 'send the dimensions, for models that can shorten their vectors')
    .option('--timeout-ms <n>', 'milliseconds for one request', count)
    .option('--retries <n>', 'attempts after the first one', wholeNumber(0, 20))
    .option('--batch-size <n>', 'maximum number of texts in one request', count)
    .option('--concurrency <n>', 'maximum number of requests at the same time', count)
    .option('--requests-per-minute <n>', 'maximum number of requests in any 60 seconds', count)
    .option('--tokens-per-minute <n>', 'maximum number of tokens in any 60 seconds', count)
    .option('--price <dollars>', 'US dollars for one million tokens', price)
    .action(asAction(add));
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

const add = async (session: Session, options: AddOptions): Promise<number> => {
  const { output, signal } = session;
  const added = await session.connect().models.add(modelOf(options), { signal });
  output.result(added, () => {
    output.line(`added ${added.version} as ${added.id}`);
    if (added.problem !== undefined) output.line(`not available on the server that responded: ${added.problem}`);
    else output.line(`next: palimpsest models test ${added.id}`);
  });
  return EXIT.ok;
};

const modelOf = ({ onnx, openai, price: pricePerMillionTokens, ...options }: AddOptions): NewModel => {
  const { batchSize, concurrency, requestsPerMinute, tokensPerMinute, ...endpoint } = options;
  const limits = given({ batchSize, concurrency, requestsPerMinute, tokensPerMinute });
  const both = { ...(Object.keys(limits).length === 0 ? {} : { limits }), ...given({ pricePerMillionTokens }) };
  if ((onnx === undefined) === (openai === undefined)) throw new UsageError('give either --onnx or --openai');
  if (onnx !== undefined) {
    const [extra] = Object.keys(endpoint);
    if (extra !== undefined)
      throw new UsageError(
        `--${extra.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is for --openai; model.json of the folder describes the model`,
      );
    return { onnx, ...both };
  }
  const { model, dimensions, ...rest } = endpoint;
  if (openai === undefined || model === undefined || dimensions === undefined)
    throw new UsageError('--openai needs --model and --dimensions');
  return { openai: { baseUrl: openai, model, dimensions, ...given(rest) }, ...both };
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
  });
  return EXIT.ok;
};
