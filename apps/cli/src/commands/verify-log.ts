import type { LogCheckResult } from '@palimpsest/client';
import { InvalidArgumentError } from 'commander';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

/** Maximum number of findings that are listed. */
const LISTED = 20;

export type KnownCheckpoint = Readonly<{ number: number; digest: string }>;

/** `<number>:<digest>`, as `verify --log` prints it. */
export const knownCheckpoint = (raw: string): KnownCheckpoint => {
  const [, number, digest] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(raw) ?? [];
  if (number === undefined || digest === undefined)
    throw new InvalidArgumentError('Must be <number>:<digest>, as `palimpsest verify --log` printed it.');
  return { number: Number(number), digest };
};

export const verifyLog = async (session: Session, known?: KnownCheckpoint): Promise<number> => {
  const { output, signal } = session;
  const result = await session.connect().operations.verifyLog(known ? { known } : {}, { signal });
  output.result(result, () => printCheck(output, result));
  return result.intact ? EXIT.ok : EXIT.someFailed;
};

const printCheck = (output: Output, result: LogCheckResult): void => {
  const { intact, records, expired, vacuumed, unsigned, checkpoints, last, findingCount, findings, keyId } = result;
  const { bold, dim, green, red, yellow } = output.colors;
  output.line(`${records} records in ${checkpoints} checkpoints ${dim(`signed with key ${keyId}`)}`);
  if (expired > 0) output.line(`${expired} records were removed because of the age limit of their stream`);
  if (vacuumed > 0) output.line(`${vacuumed} records were removed as old history, as records on the log say`);
  if (unsigned > 0) output.line(yellow(`${unsigned} records are not signed yet`));
  if (last) output.line(`last checkpoint, to keep and to check with --known: ${bold(`${last.number}:${last.digest}`)}`);
  output.line();
  if (intact) return output.line(`${green('intact')}: no signed record was changed, removed, inserted or reordered`);
  output.line(`${red(bold(findingCount === 1 ? '1 finding' : `${findingCount} findings`))}, the first one first:`);
  for (const { kind, message } of findings.slice(0, LISTED)) output.line(`  ${kind}: ${message}`);
  if (findingCount > LISTED) output.line(`  and ${findingCount - LISTED} more`);
};
