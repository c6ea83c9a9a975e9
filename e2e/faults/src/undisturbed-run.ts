import { basename } from 'node:path';
import type { PalimpsestClient, VerifyResult } from '@palimpsest/client';
import type { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { eventually } from '@palimpsest/test-kit/eventually';
import { accepted } from '@palimpsest/e2e-support/submit';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { createTenantKeys, type TenantKeys } from './tenant-keys.ts';
import { TENANTS, type Tenant, type Upload } from './uploads.ts';

const LONG_MS = 20 * 60_000;

export type Outcome = Readonly<{ verified: VerifyResult; failures: Readonly<Record<string, string>> }>;

/** The reasons of failed documents, by tenant and source. */
export const failuresOf = async (clientOf: (tenant: Tenant) => PalimpsestClient): Promise<Readonly<Record<string, string>>> => {
  const failures: [string, string][] = [];
  for (const tenant of TENANTS)
    for await (const { sourceId, reason = '' } of clientOf(tenant).documents.listAll({ status: 'failed' }))
      failures.push([`${tenant} ${sourceId}`, reason]);
  return Object.fromEntries(failures.sort());
};

/** Ingests the same documents on an embedded platform without faults. */
export const undisturbedRun = async (
  standIn: EmbeddingStandIn,
  [first, second]: readonly [string, string],
  before: readonly Upload[],
  after: readonly Upload[],
): Promise<Outcome> => {
  const data = await aDataFolder();
  let platform = await PlatformUnderTest.start(data, standIn.settings(first));
  const keys: TenantKeys = await createTenantKeys(platform.client);
  const clientOf = (tenant: Tenant): PalimpsestClient => platform.as(keys[tenant], { retries: 20 });
  const ingest = async (uploads: readonly Upload[]): Promise<void> => {
    for (const { tenant, sourceId, content } of uploads) {
      const form = new FormData();
      form.append('sourceId', sourceId);
      form.append('file', new File([content()], basename(sourceId)));
      const answer = await platform.ask('POST /v1/documents', { key: keys[tenant], body: form });
      if (answer.status !== 202) throw new Error(`${sourceId}: ${answer.status} ${answer.text}`);
      accepted(answer.json as never);
    }
    for (const tenant of TENANTS) await clientOf(tenant).waitForAll({ pollMs: 200 });
  };
  await ingest(before);
  await platform.stop();
  platform = await PlatformUnderTest.start(data, standIn.settings(second));
  await clientOf('moving').operations.reembed('deployment');
  await ingest(after);
  await eventually(
    'the scope is re-embedded',
    async () => ((await clientOf('moving').operations.reembedProgress('deployment')).state === 'idle' ? true : undefined),
    LONG_MS,
  );
  const outcome = { verified: await platform.client.operations.verify(), failures: await failuresOf(clientOf) };
  await platform.stop();
  return outcome;
};
