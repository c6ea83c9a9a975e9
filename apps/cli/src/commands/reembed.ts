import type { PalimpsestClient, ReembedProgress } from '@palimpsest/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Session } from '../session.ts';

const POLL_MS = 500;

export const addReembed: AddCommand = (program, asAction) => {
  program
    .command('reembed')
    .description("Re-embed a scope with the server's current model. Searches keep working meanwhile.")
    .argument('<scope>', 'deployment, platform, team:<id>, user:<id>')
    .option('--no-wait', 'do not wait until the new generation is active')
    .option('--retire <generation>', 'instead, retire a generation that is no longer active and delete its indexes')
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
    const news = started.status === 'building' ? `${started.documents} documents are being re-embedded` : 'already uses the current model';
    output.result(started, () => output.line(`${scope}: ${news} (${started.embeddingVersion})`));
    return EXIT.ok;
  }
  const end = await follow(session, client, scope);
  output.result(end, () => {
    output.line(`${scope}: ${end.done} chunks re-embedded, generation ${end.generation} is active (${end.embeddingVersion})`);
    if (end.withoutVector > 0) output.line(`${end.withoutVector} chunks were refused by the model and can be found by keywords only`);
  });
  return EXIT.ok;
};

/** Waits until the new generation is active. Interrupting the command does not stop the server's work. */
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
