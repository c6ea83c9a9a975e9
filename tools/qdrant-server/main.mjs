/**
 * A TEST SERVER, NOT FOR PRODUCTION: speaks the part of Qdrant's REST protocol (1.19) that the adapters use, to the official
 * client, for suites that must run where no Qdrant is available. See README.md.
 *
 *   node tools/qdrant-server/main.mjs --data <folder> [--port N] [--control-port N]
 */
import { parseArgs } from 'node:util';
import { controlServer } from './control.mjs';
import { Faults } from './faults.mjs';
import { RestServer } from './rest-server.mjs';
import { Engine } from './engine/engine.mjs';

const { values } = parseArgs({
  options: { data: { type: 'string' }, port: { type: 'string', default: '0' }, 'control-port': { type: 'string', default: '0' } },
});
if (values.data === undefined) {
  console.error('qdrant-server: --data <folder> is required');
  process.exit(2);
}

const engine = new Engine(values.data);
const faults = new Faults();
const rest = new RestServer(engine, faults);
const port = await rest.listen(Number(values.port));
const controlPort = await controlServer(faults, rest, Number(values['control-port']));
console.log(`control http://127.0.0.1:${controlPort}`);
console.log(`ready http://127.0.0.1:${port}`);

for (const signal of ['SIGTERM', 'SIGINT'])
  process.on(signal, () => {
    engine.close();
    process.exit(0);
  });
