import { createInterface } from 'node:readline';
import { openEngine } from './open-engine.ts';
import { runErrand } from './run-errand.ts';
import { READY, type Errand, type ErrandAnswer } from './errands.ts';

/**
 * A process that is made to be killed: the platform's adapters, use cases, relay, workers and projections on one folder, opened
 * as the platform opens them, without what costs time at a start and writes nothing there: HTTP, Nest, telemetry, a parser in a
 * process of its own, a model. What it is asked comes in lines, and is answered in lines once it is done.
 */
const say = (line: unknown): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const [data = '', model = ''] = process.argv.slice(2);
const inWords = (error: unknown): string => (error instanceof Error ? `${(error as Error & { code?: string }).code ?? error.name}: ${error.message}` : String(error));
const engine = await openEngine(data, model).catch((error: unknown) => {
  process.stderr.write(`${inWords(error)}\n`);
  process.exit(1);
});
say(READY);

const answer = async (errand: Errand): Promise<ErrandAnswer> => {
  try {
    return { id: errand.id, done: (await runErrand(engine, errand)) ?? null };
  } catch (error) {
    return { id: errand.id, refused: inWords(error) };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const errand = JSON.parse(line) as Errand;
  if (errand.do === 'stop') break;
  void answer(errand).then(say);
}
await engine.close();
process.exit(0);
