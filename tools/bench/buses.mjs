/**
 * What the buses and their pipeline add to a command or query in the process: a query that does nothing, called directly and sent as a message.
 *   npx node --conditions=@palimpsest/source tools/bench/buses.mjs [--calls 50000] [--rounds 7]
 */
import { parseArgs } from 'node:util';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { on, query } from '@palimpsest/knowledge/messages';
import { DEFAULT_TENANT, DEPLOYMENT } from '@palimpsest/knowledge/values';
import { Buses } from '../../libs/runtime/src/bus/buses.ts';
import { median, timed } from './lib/figures.mjs';

const { values } = parseArgs({ options: { calls: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '7' } } });
const [calls, rounds] = [Number(values.calls), Number(values.rounds)];

/** As many rows as a search has hits. */
const ROWS = Array.from({ length: 10 }, () => ({ tenant: DEFAULT_TENANT, scope: DEPLOYMENT }));
class GetRows extends query({ id: 'Bench.rows', role: 'reader', rate: 'search' }, { shows: (rows) => rows }) {}

const rows = async () => ROWS;
const buses = new Buses([on(GetRows, rows)], UNLIMITED);
const caller = { access: { tenant: DEFAULT_TENANT, teams: ['red'], roles: ['reader'], actor: 'bench' }, correlationId: 'bench' };

/** Microseconds per call. */
const perCall = async (call) => {
  const { ms } = await timed(async () => {
    for (let i = 0; i < calls; i++) await call();
  });
  return (ms / calls) * 1_000;
};

const [direct, sent] = [[], []];
for (let round = 0; round < rounds; round++) {
  direct.push(await perCall(rows));
  sent.push(await perCall(() => buses.execute(new GetRows(caller))));
}
console.log(`10 rows: directly ${median(direct).toFixed(2)} µs, as a message ${median(sent).toFixed(2)} µs`);
