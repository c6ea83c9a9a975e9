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
  ['`PALIMPSEST_URL`', 'the server of this machine, else `http://127.0.0.1:7330`', 'where the server is; `--url` comes first'],
  ['`PALIMPSEST_API_KEY`', 'the key of the server of this machine', 'who is asking; `--api-key` comes first'],
  ['`PALIMPSEST_DATA`', '`.palimpsest` in the working folder or the nearest folder above it', 'the data folder of the server of this machine: its address is in `server.json`, its key in `keys/local-api-key`'],
  ['`PALIMPSEST_DEBUG`', '', 'anything: stack traces with the messages of faults'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'colours on a terminal', 'no colours, or colours also into a file'],
];

export const page = async () => {
  const { settingsSchema } = await import('../../apps/platform/src/config.ts');
  const { properties } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(properties).map(([name, setting]) => [code(name), usualOf(setting), rangeOf(setting), setting.description ?? '']);
  return pageOf(
    '# Configuration',
    GENERATED,
    'Everything is set by environment variables. Nothing has to be set.',
    '## The platform',
    'Read once, at the start. A value out of range, or a name that begins with `PALIMPSEST_` and is none of these, ends the start with one line and exit code 2.',
    table(['variable', 'default', 'values', 'meaning'], rows),
    'A relative folder is taken from the working folder. `PALIMPSEST_OPENAI_DIMENSIONS`, `_BASE_URL` and `_API_KEY` count only when `PALIMPSEST_OPENAI_MODEL` is set, which also comes before `PALIMPSEST_MODEL`. [Another embedding model](../how-to/change-the-model.md) has the steps.',
    '## The command line',
    'Read by `palimpsest`, apart from `palimpsest start`, which hands its whole environment on to the platform.',
    table(['variable', 'default', 'meaning'], CLIENT_SETTINGS),
    'The key in `keys/local-api-key` is sent to the server of this machine only, never to another address.',
  );
};
