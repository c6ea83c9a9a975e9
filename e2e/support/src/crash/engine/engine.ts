import { createInterface } from 'node:readline';
import { openEngine } from './open-engine.ts';
import { runTask } from './run-task.ts';
import { READY, type Task, type TaskAnswer } from './tasks.ts';

/**
 * A process to be killed: the adapters, use cases, relay, workers and projections of the platform on one folder, opened as in the
 * platform. It leaves out what makes a start slow and writes nothing: HTTP, Nest, telemetry, the parser process, the model. It reads
 * tasks as lines, and writes a line when a task is done.
 */
const say = (line: unknown): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const [data = '', model = ''] = process.argv.slice(2);
const describeError = (error: unknown): string =>
  error instanceof Error ? `${(error as Error & { code?: string }).code ?? error.name}: ${error.message}` : String(error);
const engine = await openEngine(data, model).catch((error: unknown) => {
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1);
});
say(READY);

const answer = async (task: Task): Promise<TaskAnswer> => {
  try {
    return { id: task.id, done: (await runTask(engine, task)) ?? null };
  } catch (error) {
    return { id: task.id, refused: describeError(error) };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const task = JSON.parse(line) as Task;
  if (task.do === 'stop') break;
  void answer(task).then(say);
}
await engine.close();
process.exit(0);
