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
    .option('--retire <generation>', 'end a generation that no longer serves, instead: its indexes go')
    .action(asAction(reembed));
};

type ReembedOptions = Readonly<{ wait: boolean; retire?: string }>;

const reembed = async (session: Session, { wait, retire }: ReembedOptions, scope: string): Promise<number> => {
  const { output, signal } = session;
  const client = session.connect();
  if (retire !== undefined) {
    const retired = await client.operations.retireGeneration(scope, retire, { signal });
    output.result(retired, () => output.line(`${scope}: generation ${retire} is retired`));
    return EXIT.ok;
  }
  const started = await client.operations.reembed(scope, { signal });
  if (started.status !== 'building' || !wait) {
    const news =
      started.status === 'building' ? `${started.documents} documents are being embedded again` : 'has the current model already';
    output.result(started, () => output.line(`${scope}: ${news} (${started.embeddingVersion})`));
    return EXIT.ok;
  }
  const end = await follow(session, client, scope);
  output.result(end, () => {
    output.line(`${scope}: ${end.done} chunks embedded again, generation ${end.generation} serves (${end.embeddingVersion})`);
    if (end.withoutVector > 0) output.line(`${end.withoutVector} chunks were refused by the model and are found by their words only`);
  });
  return EXIT.ok;
};

/** Until the new generation has taken over; interrupting us does not interrupt the server. */
const follow = async ({ output, signal }: Session, client: PalimpsestClient, scope: string): Promise<ReembedProgress> => {
  let progress = await client.operations.reembedProgress(scope, { signal });
  const bar = output.progress('chunks', progress.total);
  try {
    while (progress.state === 'building') {
      bar.update(progress.done);
      await sleep(POLL_MS, undefined, { signal });
      progress = await client.operations.reembedProgress(scope, { signal });
    }
    bar.update(progress.done);
    return progress;
  } finally {
    bar.stop();
  }
};
