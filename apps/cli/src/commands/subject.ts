import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SubjectErasure } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { writeNewJson } from '../write-new-file.ts';

const ASK_EVERY_MS = 500;

export const addSubject: AddCommand = (program, asAction) => {
  const command = program
    .command('subject')
    .description(
      'Persons whom documents are about (data subjects): find and erase everything that was added with their name as `--subject`.',
    );
  command
    .command('find')
    .description('How many documents there are about a person, in all scopes of the tenant.')
    .argument('<person>')
    .action(asAction(find));
  command
    .command('erase')
    .description('Delete all documents about a person, and destroy the key that sealed them. It cannot be undone.')
    .argument('<person>')
    .requiredOption('--confirm <person>', 'the same again')
    .option('--no-wait', 'return when the key is destroyed, before the rest is removed')
    .action(asAction(erase));
  command.command('status').description('How far an erasure is.').argument('<erasure>', 'as `erase` printed it').action(asAction(status));
  command
    .command('receipt')
    .description('Write the signed receipt of an erasure; `palimpsest receipt check` checks it without a server.')
    .argument('<erasure>', 'as `erase` printed it')
    .argument('<file>', 'file to write')
    .action(asAction(receipt));
};

const find = async (session: Session, _: object, person: string): Promise<number> => {
  const { output, signal } = session;
  const found = await session.connect().erasures.findPerson(person, { signal });
  output.result(found, () => output.line(`${found.documents} documents with ${found.passages} passages in ${found.scopes} scopes`));
  return EXIT.ok;
};

type EraseOptions = Readonly<{ confirm: string; wait: boolean }>;

const erase = async (session: Session, { confirm, wait }: EraseOptions, person: string): Promise<number> => {
  if (confirm !== person) throw new UsageError('--confirm: expected the name of the person again, since it cannot be undone');
  const { output, signal } = session;
  const { erasures } = session.connect();
  let found = await erasures.startOfPerson(person, { signal });
  while (wait && found.state !== 'completed') {
    await sleep(ASK_EVERY_MS, undefined, { signal });
    found = await erasures.getOfPerson(found.subject, { signal });
  }
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const status = async (session: Session, _: object, erasure: string): Promise<number> => {
  const { output, signal } = session;
  const found = await session.connect().erasures.getOfPerson(erasure, { signal });
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const receipt = async (session: Session, _: object, erasure: string, file: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const found = await session.connect().erasures.receiptOfPerson(erasure, { signal });
  const path = resolve(cwd, file);
  await writeNewJson(path, found);
  output.result(found, () =>
    output.line(`${path}: ${found.unreadable.documents} documents, ${found.unreadable.records} records of the log`),
  );
  return EXIT.ok;
};

const SAYS: Readonly<Record<SubjectErasure['state'], string>> = {
  none: 'not requested',
  requested: 'requested: the key is about to be destroyed',
  erased: 'erased: the key is destroyed, and nothing can be read; what was derived from the documents is being removed',
  completed: 'completed: the key is destroyed, and what was derived from the documents is removed',
};

const print = (output: Output, { subject, state, documents, erasedAt, completedAt }: SubjectErasure): void => {
  output.line(`erasure ${output.colors.bold(subject)} ${SAYS[state]}`);
  if (documents !== undefined) output.line(`documents:     ${documents}`);
  if (erasedAt !== undefined) output.line(`key destroyed: ${erasedAt}`);
  if (completedAt !== undefined) output.line(`completed:     ${completedAt}`);
};
