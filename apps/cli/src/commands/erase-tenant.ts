import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantErasure } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { EXIT } from '../failure.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { writeNewJson } from '../write-new-file.ts';

const ASK_EVERY_MS = 500;

export const addEraseTenant = (tenants: Command, asAction: AsAction): void => {
  tenants
    .command('erase')
    .description('Revoke the API keys of a tenant and erase all of its scopes (operators only). It cannot be undone.')
    .argument('<tenant>')
    .requiredOption('--confirm <tenant>', 'the name of the tenant, again')
    .option('--no-wait', 'return when the keys are destroyed, before the rest is removed')
    .action(asAction(erase));
  tenants
    .command('erasure')
    .description('How far the erasure of a tenant is (operators only).')
    .argument('<tenant>')
    .action(asAction(status));
  tenants
    .command('receipt')
    .description('Write the signed receipt of the erasure of a tenant (operators only).')
    .argument('<tenant>')
    .argument('<file>', 'file to write')
    .action(asAction(receipt));
};

type EraseOptions = Readonly<{ confirm: string; wait: boolean }>;

const erase = async (session: Session, { confirm, wait }: EraseOptions, tenant: string): Promise<number> => {
  const { output, signal } = session;
  const { erasures } = session.connect();
  let found = await erasures.startOfTenant(tenant, confirm, { signal });
  while (wait && found.state !== 'completed') {
    await sleep(ASK_EVERY_MS, undefined, { signal });
    found = await erasures.getOfTenant(tenant, { signal });
  }
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const status = async (session: Session, _: object, tenant: string): Promise<number> => {
  const { output, signal } = session;
  const found = await session.connect().erasures.getOfTenant(tenant, { signal });
  output.result(found, () => print(output, found));
  return EXIT.ok;
};

const receipt = async (session: Session, _: object, tenant: string, file: string): Promise<number> => {
  const { output, signal, cwd } = session;
  const found = await session.connect().erasures.receiptOfTenant(tenant, { signal });
  const path = resolve(cwd, file);
  await writeNewJson(path, found);
  output.result(found, () =>
    output.line(`${path}: ${found.unreadable.documents} documents, ${found.unreadable.records} records of the log`),
  );
  return EXIT.ok;
};

const SAYS: Readonly<Record<TenantErasure['state'], string>> = {
  requested: 'is being erased: its keys are about to be destroyed',
  erased: 'is erased: its keys are destroyed, and nothing of it can be read; what was derived from it is being removed',
  completed: 'is erased, and what was derived from it is removed',
};

const print = (output: Output, { tenant, state, scopes, erasedAt, completedAt }: TenantErasure): void => {
  output.line(`tenant ${output.colors.bold(tenant)} ${SAYS[state]}`);
  if (scopes) output.line(`scopes:         ${scopes.join(', ') || 'none'}`);
  if (erasedAt !== undefined) output.line(`keys destroyed: ${erasedAt}`);
  if (completedAt !== undefined) output.line(`completed:      ${completedAt}`);
};
