/** docs/reference/configuration.md, from the schema that reads the settings. */
import { z } from 'zod';
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';

const rangeOf = ({ type, enum: choices, minimum, maximum, format }) => {
  if (choices) return choices.map(code).join(', ');
  if (minimum !== undefined && maximum !== undefined) return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
  return format === 'uri' ? 'a URL' : (type ?? 'text').replace('string', 'text');
};

const defaultOf = ({ default: byDefault }) => (byDefault === undefined ? '' : code(String(byDefault)));

const CLIENT_SETTINGS = [
  [
    '`PALIMPSEST_URL`',
    'the server of the data folder; `http://127.0.0.1:7330` if there is no data folder',
    'address of the server; `--url` takes precedence',
  ],
  ['`PALIMPSEST_API_KEY`', 'the local key of the server on this machine', 'API key; `--api-key` takes precedence'],
  [
    '`PALIMPSEST_DATA`',
    '`.palimpsest` in the working folder or its nearest parent folder',
    'data folder of the server on this machine; its address is in `server.json`, its key in `keys/local-api-key`',
  ],
  [
    '`HF_ENDPOINT`',
    '`https://huggingface.co`',
    'address of the Hugging Face hub or a mirror, for `palimpsest models download` and `models add hf:…`; `--hub` takes precedence',
  ],
  ['`HF_TOKEN`', '', 'token for private and gated repositories of the hub; never stored or printed'],
  ['`PALIMPSEST_BACKUP_PASSPHRASE`', '', 'passphrase for backups and exports; `--passphrase-file` and `--key-file` take precedence'],
  ['`PALIMPSEST_DEBUG`', '', 'any value: print stack traces with error messages'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'colours on a terminal', 'no colours, or colours in a file as well'],
];

const settingsOf = (schema) => {
  const { properties, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, setting]) => ({ name, setting, needed: required.includes(name) }));
};

const rowOf = ({ name, setting, needed }) => [
  code(name),
  needed ? 'must be set' : defaultOf(setting),
  rangeOf(setting),
  setting.description ?? '',
];

/** Settings that all services read are listed once; those of a single service, below its name. */
const services = async () => {
  const { ingestionServiceSettings, queryServiceSettings, reembeddingServiceSettings } =
    await import('../../libs/platform/src/settings.ts');
  const all = {
    ingestion: settingsOf(ingestionServiceSettings),
    reembedding: settingsOf(reembeddingServiceSettings),
    query: settingsOf(queryServiceSettings),
  };
  const has = (service, name) => all[service].some((each) => each.name === name);
  const names = Object.keys(all);
  const common = all.query.filter(({ name }) => name !== 'PALIMPSEST_PORT' && names.every((service) => has(service, name)));
  const isCommon = (name) => common.some((each) => each.name === name);
  return { common, own: names.map((service) => [service, all[service].filter(({ name }) => !isCommon(name))]) };
};

const COLUMNS = ['variable', 'default', 'values', 'meaning'];

export const page = async () => {
  const { settingsSchema } = await import('../../libs/platform/src/settings.ts');
  const rows = settingsOf(settingsSchema).map(rowOf);
  const { common, own } = await services();
  return pageOf(
    '# Configuration',
    GENERATED,
    'All settings are environment variables. The platform requires none of them.',
    '## The platform',
    'Settings are read once, at startup. If a value is out of range, or a variable starts with `PALIMPSEST_` and is not listed here, startup fails with a one-line error and exit code 2.',
    table(COLUMNS, rows),
    'Relative folders are resolved against the working folder. `PALIMPSEST_OPENAI_DIMENSIONS`, `_BASE_URL` and `_API_KEY` apply only if `PALIMPSEST_OPENAI_MODEL` is set, which also takes precedence over `PALIMPSEST_MODEL`. For the steps, see [Another embedding model](../how-to/change-the-model.md).',
    '## The services',
    'For [the distributed installation](../how-to/run-distributed.md). The three services can share one environment: each reads the settings that it needs, and refuses settings that none of them knows. Settings that belong together (a user and a password) must be set together.',
    '### All three',
    table(COLUMNS, common.map(rowOf)),
    ...own.flatMap(([service, settings]) => [`### Only \`${service}\``, table(COLUMNS, settings.map(rowOf))]),
    '## The command line',
    'Read by all `palimpsest` commands except `palimpsest start`, which passes its whole environment to the platform.',
    table(['variable', 'default', 'meaning'], CLIENT_SETTINGS),
    'The key in `keys/local-api-key` is sent only to the address in `server.json` next to it, and only after the program at that address has proved that it knows the key. If the server of the data folder is not running, the command line uses no other server unless `--url` is given.',
  );
};
