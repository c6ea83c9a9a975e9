import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScopeErasure } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { writeNewJson } from '../write-new-file.ts';

const ASK_EVERY_MS = 500;

export const addErasure: AddCommand = (program, asAction) => {
  const command = program
    .command('erasure')
    .description('Erase a scope so that no one can read it any more, anywhere, with a receipt; or hold it.');
  command
    .command('start')
    .description('Destroy the key of a scope, and remove everything that was derived from it. It cannot be undone.')
    .argument('<scope>', 'deployment, platform, team:<id>, user:<id>')
    .requiredOption('--confirm <scope>', 'the name of the scope, again')
    .option('--no-wait', 'return when the key is destroyed, before the rest is removed')
    .action(asAction(start));
  command.command('status').description('How far the erasure of a scope is.').argument('<scope>').action(asAction(status));
  command
    .command('receipt')
    .description('Write the signed receipt of an erasure; `palimpsest receipt check` checks it without a server.')
    .argument('<scope>')
    .argument('<file>', 'file to write')
    .action(asAction(receipt));
  command
    .command('hold')
    .description('Hold a scope: it must not be erased until it is released.')
    .argument('<scope>')
    .requiredOption('--reason <text>', 'why, for other administrators')
    .action(asAction(hold));
  command.command('release').description('Release a scope that was held.').argument('<scope>').action(asAction(release));
};

type StartOptions = Readonly<{ confirm: string; wait: boolean }>;

const start = async (session: Session, { confirm, wait }: StartOptions, scope: string): Promise<number> => {
  const { output, signal } = session;
  const { erasures } = session.connect();
  let found = await erasures.start(scope, confirm, { signal });
  while (wait && found.state !== 'completed') {
    await sleep(ASK_EVERY_MS, undefined, { signal });
    found = await erasures.get(scope, { signal });
  }
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const status = async (session: Session, _: object, scope: string): Promise<number> =>
  show(session, await session.connect().erasures.get(scope, { signal: session.signal }));

const hold = async (session: Session, { reason }: Readonly<{ reason: string }>, scope: string): Promise<number> =>
  show(session, await session.connect().erasures.hold(scope, reason, { signal: session.signal }));

const release = async (session: Session, _: object, scope: string): Promise<number> =>
  show(session, await session.connect().erasures.release(scope, { signal: session.signal }));

const receipt = async (session: Session, _: object, scope: string, file: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const found = await session.connect().erasures.receipt(scope, { signal });
  const path = resolve(cwd, file);
  await writeNewJson(path, found);
  output.result(found, () =>
    output.line(`${path}: ${found.unreadable.documents} documents, ${found.unreadable.records} records of the log`),
  );
  return EXIT.ok;
};

const show = ({ output }: Session, found: ScopeErasure): number => {
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const SAYS: Readonly<Record<ScopeErasure['state'], string>> = {
  none: 'is not being erased',
  requested: 'is being erased: its key is about to be destroyed',
  erased: 'is erased: its key is destroyed, and nothing of it can be read; what was derived from it is being removed',
  completed: 'is erased, and what was derived from it is removed',
};

const print = (output: Output, { scope, state, held, erasedAt, completedAt }: ScopeErasure): void => {
  const { bold, yellow } = output.colors;
  output.line(`${bold(scope)} ${SAYS[state]}`);
  if (erasedAt !== undefined) output.line(`key destroyed: ${erasedAt}`);
  if (completedAt !== undefined) output.line(`completed:     ${completedAt}`);
  if (held) output.line(yellow(`held since ${held.since}: ${held.reason}`));
};
