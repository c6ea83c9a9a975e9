import type { VerificationRecord } from '@palimpsest/contracts/http';
import type { PastVerification } from './verifications.ts';

/** A past verification as it is shown. */
export const recordView = (past: PastVerification): VerificationRecord =>
  'reason' in past ? past : { ...past, position: String(past.position), differences: [...past.differences] };
