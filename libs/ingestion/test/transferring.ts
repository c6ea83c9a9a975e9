import type { Access } from '@palimpsest/knowledge/access';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { Caller } from '@palimpsest/knowledge/messages';
import { Buses } from '@palimpsest/runtime';
import { DocumentImport } from '../src/transfer/document-import.ts';
import { ImportStart } from '../src/transfer/import-start.ts';
import { PortableExport } from '../src/transfer/portable-export.ts';
import { SealedTransfer } from '../src/transfer/sealed-transfer.ts';
import { TransferScope } from '../src/transfer/transfer-scope.ts';
import { catalogOf } from './exported-lines.ts';
import type { World } from './world.ts';

/** The buses of a world whose routes move scopes. */
export const transferring = (world: World): Buses => {
  const { journal, blobs, keys, providers, knowledgeBases, submitDocument: submit, now } = world;
  const exporting = new PortableExport({ journal, blobs, keys, now, catalog: catalogOf(world) });
  const transfer = new TransferScope(
    new SealedTransfer(exporting, journal, keys, () => undefined),
    new ImportStart({ journal, providers, knowledgeBases, now }),
    new DocumentImport({ quotaPolicy: UNLIMITED, journal, blobs, keys, submit, maxBytes: 1_000_000, now }),
  );
  return new Buses(transfer.handlers, UNLIMITED);
};

export const sentBy = (access: Access): Caller => ({ access, correlationId: 'import-1' });
