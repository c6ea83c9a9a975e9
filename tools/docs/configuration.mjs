/** docs/reference/configuration.md, from the schema that reads the settings. */
import { z } from 'zod';
import { GENERATED, code, page as pageOf, table } from './markdown.mjs';

const rangeOf = ({ type, enum: choices, minimum, maximum, format }) => {
  if (choices) return choices.map(code).join(', ');
  if (minimum !== undefined && maximum !== undefined) return `${minimum.toLocaleString('en')} to ${maximum.toLocaleString('en')}`;
  return format === 'uri' ? 'an address' : (type ?? 'text').replace('string', 'text');
};

const usualOf = ({ default: usual }) => (usual === undefined ? '' : code(String(usual)));

const CLIENT_SETTINGS = [
  ['`PALIMPSEST_URL`', 'the server of the data folder; `http://127.0.0.1:7330` where there is no data folder', 'where the server is; `--url` comes first'],
  ['`PALIMPSEST_API_KEY`', 'the key of the server of this machine', 'who is asking; `--api-key` comes first'],
  ['`PALIMPSEST_DATA`', '`.palimpsest` in the working folder or the nearest folder above it', 'the data folder of the server of this machine: its address is in `server.json`, its key in `keys/local-api-key`'],
  ['`PALIMPSEST_BACKUP_PASSPHRASE`', '', 'what backups and exports are sealed under; `--passphrase-file` and `--key-file` come first'],
  ['`PALIMPSEST_DEBUG`', '', 'anything: stack traces with the messages of faults'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'colours on a terminal', 'no colours, or colours also into a file'],
];

const settingsOf = (schema) => {
  const { properties, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, setting]) => ({ name, setting, needed: required.includes(name) }));
};

const rowOf = ({ name, setting, needed }) => [code(name), needed ? 'must be set' : usualOf(setting), rangeOf(setting), setting.description ?? ''];

/** What the services are told alike comes once; what only one of them reads, below its name. */
const services = async () => {
  const { ingestionServiceSettings, queryServiceSettings, reembeddingServiceSettings } = await import('../../libs/distributed/src/index.ts');
  const all = { ingestion: settingsOf(ingestionServiceSettings), reembedding: settingsOf(reembeddingServiceSettings), query: settingsOf(queryServiceSettings) };
  const has = (service, name) => all[service].some((each) => each.name === name);
  const names = Object.keys(all);
  const common = all.query.filter(({ name }) => name !== 'PALIMPSEST_PORT' && names.every((service) => has(service, name)));
  const isCommon = (name) => common.some((each) => each.name === name);
  return { common, own: names.map((service) => [service, all[service].filter(({ name }) => !isCommon(name))]) };
};

const COLUMNS = ['variable', 'default', 'values', 'meaning'];

export const page = async () => {
  const { settingsSchema } = await import('../../apps/platform/src/config.ts');
  const rows = settingsOf(settingsSchema).map(rowOf);
  const { common, own } = await services();
  return pageOf(
    '# Configuration',
    GENERATED,
    'Everything is set by environment variables. Nothing has to be set.',
    '## The platform',
    'Read once, at the start. A value out of range, or a name that begins with `PALIMPSEST_` and is none of these, ends the start with one line and exit code 2.',
    table(COLUMNS, rows),
    'A relative folder is taken from the working folder. `PALIMPSEST_OPENAI_DIMENSIONS`, `_BASE_URL` and `_API_KEY` count only when `PALIMPSEST_OPENAI_MODEL` is set, which also comes before `PALIMPSEST_MODEL`. [Another embedding model](../how-to/change-the-model.md) has the steps.',
    '## The services',
    'For [the distributed installation](../how-to/run-distributed.md). One environment may serve all three; each reads what it needs, and refuses what none of them knows. Values that make sense only together (a user and a password) are refused alone.',
    '### All three',
    table(COLUMNS, common.map(rowOf)),
    ...own.flatMap(([service, settings]) => [`### Only \`${service}\``, table(COLUMNS, settings.map(rowOf))]),
    '## The command line',
    'Read by `palimpsest`, apart from `palimpsest start`, which hands its whole environment on to the platform.',
    table(['variable', 'default', 'meaning'], CLIENT_SETTINGS),
    'The key in `keys/local-api-key` is sent only to the address in `server.json` next to it, and only after the program at that address has proved that it knows the key. While the server of a data folder is not running, the command line asks no other one: it needs `--url` for that.',
  );
};
