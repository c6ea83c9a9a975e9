import type { StatusView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import { refusedChunks } from '../render/refused-chunks.ts';
import type { Session } from '../session.ts';

export const addStatus: AddCommand = (program, asAction) => {
  program.command('status').description('Show the state of the platform.').action(asAction(status));
};

const status = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const view = await session.connect().operations.status({ signal });
  output.result(view, () => printStatus(output, view));
  return EXIT.ok;
};

const printStatus = (output: Output, view: StatusView): void => {
  const { dim, green, yellow, red } = output.colors;
  const fact = (name: string, value: string): void => output.line(`${dim(name.padEnd(11))} ${value}`);
  const { documents, queue, models } = view;
  const held = documents.held > 0 ? `, ${documents.held} held back by paused knowledge bases` : '';
  const failed = documents.failed > 0 ? red(`${documents.failed} failed`) : '0 failed';
  fact('palimpsest', `${view.version} ${view.ready ? green('ready') : yellow('not ready')}`);
  fact(
    'documents',
    `${documents.total}: ${documents.indexed} indexed, ${documents.pending} pending, ${documents.processing} processing, ${failed}${held}`,
  );
  fact('chunks', `${view.chunks}${refusedChunks(view)}`);
  fact('queue', queue.capacity === undefined ? String(queue.depth) : `${queue.depth} of ${queue.capacity}`);
  fact('model', models.current);
  if (view.log !== undefined) fact('log', `position ${view.log.position}`);
  for (const { name, position, lag } of view.projections ?? []) fact('projection', `${name} at ${position}, ${lag} behind`);
  for (const { scope, generations } of view.scopes)
    for (const { generation, embeddingVersion, status: state, modelMissing } of generations) {
      const missing = modelMissing ? `, not configured${state === 'active' ? ': searched by words only' : ''}` : '';
      fact('scope', `${scope} generation ${generation} ${state} (${embeddingVersion}${missing})`);
    }
};
