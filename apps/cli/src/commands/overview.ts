import type { LatencyView, OverviewView } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

export const addOverview: AddCommand = (program, asAction) => {
  program.command('overview').description('Show how indexing and retrieval performed in the last minute.').action(asAction(overview));
};

const overview = async (session: Session): Promise<number> => {
  const { output, signal } = session;
  const view = await session.connect().operations.overview({ signal });
  output.result(view, () => print(output, view));
  return EXIT.ok;
};

const latency = ({ count, mean, p50, p95 }: LatencyView): string =>
  count === 0 ? 'none' : `${count}, mean ${mean ?? 0} ms, p50 ${p50 ?? 0} ms, p95 ${p95 ?? 0} ms`;
const known = (value: number | undefined, unit = ''): string => (value === undefined ? 'unknown' : `${value}${unit}`);

const print = (output: Output, { documents, chunks, ...view }: OverviewView): void => {
  const { of, health } = view;
  const { dim, green, yellow } = output.colors;
  const fact = (name: string, value: string): void => output.line(`${dim(name.padEnd(11))} ${value}`);
  const { retrievals } = health;
  fact('status', health.status === 'ok' ? green('ok') : yellow(`degraded: ${health.reasons.join(', ')}`));
  fact(
    'documents',
    `${documents.total} (${of}): ${documents.indexed} indexed, ${documents.pending} pending, ${documents.processing} processing, ${documents.failed} failed, ${documents.held} held back`,
  );
  fact('chunks', String(chunks));
  fact('searches', latency(retrievals.latency));
  fact('retrievals', `${retrievals.hit} relevant, ${retrievals.miss} not relevant, ${retrievals.empty} without results`);
  if (view.of === 'readable') {
    fact('last minute', `${view.health.documents.indexed} documents indexed, ${view.health.documents.failed} failed`);
    return;
  }
  const { queue, embedding, flush, projection } = view.health;
  fact('queue', `${known(queue.depth)} of ${known(queue.capacity)}`);
  fact('embedding', `${latency(embedding)}, ${embedding.failures} failed`);
  fact('flushes', latency(flush));
  fact('projection', `${known(projection.lagPositions)} positions behind, ${known(projection.lagMs, ' ms')}`);
};
