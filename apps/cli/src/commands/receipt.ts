import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ErasureReceipt, LineageReceipt } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT } from '../failure.ts';
import { readJson } from '../read-json.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { writeNewJson } from '../write-new-file.ts';

type GetOptions = Readonly<{ chunk?: string }>;
type CheckOptions = Readonly<{ source?: string; key?: string }>;

export const addReceipt: AddCommand = (program, asAction) => {
  const command = program.command('receipt').description('Receipts: where the results of a search came from, and that a scope was erased.');
  command
    .command('get')
    .description(
      'Write the receipt of a past search: uploaded bytes, versions, passages and events, with digests and signatures. It contains the texts of the passages.',
    )
    .argument('<trace-id>', 'the traceId of the response')
    .argument('<file>', 'file to write')
    .option('--chunk <id>', 'only this result; default: the first 20')
    .action(asAction(get));
  command
    .command('check')
    .description('Check a receipt without a server.')
    .argument('<file>', 'the receipt')
    .option('--source <file>', 'the file that a result is supposed to come from')
    .option('--key <public key>', 'the public key of the installation, Base64 (`GET /v1/signing-key`), which must have signed it')
    .action(asAction(check));
};

const get = async (session: Session, { chunk }: GetOptions, traceId: string, file: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const receipt = await session.connect().retrievals.receipt(traceId, chunk === undefined ? {} : { chunk }, { signal });
  const path = resolve(cwd, file);
  await writeNewJson(path, receipt);
  output.result(receipt, () => output.line(`${path}: ${receipt.hits.length} results, ${receipt.records.length} records of the log`));
  return EXIT.ok;
};

const check = async ({ output, cwd }: Session, { source, key }: CheckOptions, file: string): Promise<number> => {
  const { checkReceipt, keyIdOf } = await import('@palimpsest/proofs');
  const raw = readJson(await readFile(resolve(cwd, file), 'utf8'), file);
  const checked = checkReceipt(raw, source === undefined ? undefined : await readFile(resolve(cwd, source)));
  const receipt = 'receipt' in checked ? checked.receipt : undefined;
  const problems = [
    ...('problems' in checked ? checked.problems : []),
    ...(receipt && key !== undefined && receipt.publicKey !== key ? ['it is signed with another key than the given one'] : []),
  ];
  const keyId = receipt && keyIdOf(Buffer.from(receipt.publicKey, 'base64'));
  output.result({ valid: problems.length === 0, problems, keyId, kind: receipt?.kind }, () =>
    print(output, receipt, problems, { keyId, isGiven: key !== undefined }),
  );
  return problems.length === 0 ? EXIT.ok : EXIT.someFailed;
};

const print = (
  output: Output,
  receipt: LineageReceipt | ErasureReceipt | undefined,
  problems: readonly string[],
  { keyId, isGiven }: Readonly<{ keyId: string | undefined; isGiven: boolean }>,
): void => {
  const { bold, dim, green, red } = output.colors;
  if (receipt === undefined || problems.length > 0) {
    output.line(red(bold('not valid')));
    for (const problem of problems) output.line(`  ${problem}`);
    return;
  }
  output.line(`${green('valid')}: signed with key ${keyId}${isGiven ? '' : '; compare it with the key of the installation (--key)'}`);
  if (receipt.kind === 'palimpsest-erasure/1') return printErasure(output, receipt);
  for (const { rank, documentId, version, events, source } of receipt.hits)
    output.line(
      `  ${rank}. document ${documentId}, version ${version}: submitted ${events.submitted} → passage ${events.chunk} → indexed ${events.indexed}  ${dim(source ? `upload sha256 ${source.sha256}` : 'the upload is no longer there')}`,
    );
};

const printErasure = (output: Output, receipt: ErasureReceipt): void => {
  const { tenant, scope, subject, scopes = [], erasedAt, unreadable, removed, residueScan: scan, notCovered } = receipt;
  const inScopes = subject === undefined ? 'everything' : 'everything about a person';
  const what = scope === undefined ? `${inScopes} (in ${scopes.join(', ')})` : `scope ${scope}`;
  output.line(`  ${what} of tenant ${tenant} was erased at ${erasedAt}`);
  output.line(`  unreadable: ${unreadable.documents} documents, ${unreadable.passages} passages, ${unreadable.records} records of the log`);
  for (const { store, state, detail } of removed) output.line(`  ${state}: ${store} (${detail})`);
  if (scan) output.line(`  ${scan.found} of ${scan.secrets} samples found in ${scan.files} files, ${scan.bytes} bytes (${scan.detail})`);
  for (const each of notCovered) output.line(`  not covered: ${each}`);
};
