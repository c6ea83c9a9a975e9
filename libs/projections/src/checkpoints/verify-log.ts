import type { Journal } from '@palimpsest/contracts';
import type { LogCheckResult, SigningKey } from '@palimpsest/contracts/http';
import { getSigningKey, verifyLog } from '@palimpsest/contracts/routes/proofs';
import type { System } from '@palimpsest/foundation';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Signer } from '@palimpsest/knowledge/ports';
import { checkLog, keyIdOf, type KnownCheckpoint } from '@palimpsest/proofs';

/** Compares the log with its signed checkpoints. */
export class VerifyLog extends query<Readonly<{ known?: KnownCheckpoint }>, LogCheckResult>(verifyLog, NO_ROWS) {}
/** The key with which the installation signs. */
export class GetSigningKey extends query<void, SigningKey>(getSigningKey, NO_ROWS) {}

type Ports = Readonly<{ journal: Journal; signer: Signer; system: Pick<System, 'scheduler'> }>;

export const checkingLog = ({ journal, signer, system: { scheduler } }: Ports): UseCase => {
  const keyId = (): string => keyIdOf(signer.publicKey);
  return {
    handlers: [
      on(VerifyLog, async ({ input }) => {
        const { last, findings, ...found } = await checkLog(journal.log, { publicKey: signer.publicKey, scheduler, ...input });
        return {
          ...found,
          ...(last ? { last: { ...last, upTo: String(last.upTo) } } : {}),
          findings: findings.map((finding) => ({ ...finding, position: String(finding.position) })),
          keyId: keyId(),
        };
      }),
      on(GetSigningKey, () => ({
        keyId: keyId(),
        algorithm: 'Ed25519' as const,
        publicKey: Buffer.from(signer.publicKey).toString('base64'),
      })),
    ],
  };
};
