import type { PalimpsestClient, ReembedProgress } from '@palimpsest/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Session } from '../session.ts';

const POLL_MS = 500;

export const addReembed: AddCommand = (program, asAction) => {
  program
    .command('reembed')
    .description("embed a scope again with the server's current model; searches go on meanwhile")
    .argument('<scope>', 'deployment, platform, team:<id>, user:<id>')
    .option('--no-wait', 'do not wait until it is done')
    .action(asAction(reembed));
};

const reembed = async (session: Session, { wait }: Readonly<{ wait: boolean }>, scope: string): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect();
  const started = await client.operations.reembed(scope, { signal });
  if (!wait || started.documents === 0) {
    const done =
      started.documents === 0 ? 'every vector is of the current model' : `${started.documents} documents are being embedded again`;
    output.result(started, () => output.line(`${scope}: ${done}`));
    return EXIT.ok;
  }
  const end = await follow(session, client, scope, started.documents);
  output.result(end, () => output.line(`${scope}: ${end.done} of ${end.total} embedded again, ${end.failed} failed (${end.state})`));
  return end.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

const follow = async ({ output, signal }: Session, client: PalimpsestClient, scope: string, total: number): Promise<ReembedProgress> => {
  const bar = output.progress('embedded again', total);
  try {
    for (;;) {
      const progress = await client.operations.reembedProgress(scope, { signal });
      bar.update(progress.done, progress.failed === 0 ? '' : `${progress.failed} failed`);
      if (progress.done + progress.failed >= progress.total) return progress;
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    bar.stop();
  }
};
