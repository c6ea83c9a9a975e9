import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { describeUnlimitedQuotaPolicy } from './quota-policy-kit.ts';

describeUnlimitedQuotaPolicy('UNLIMITED', async () => ({ policy: UNLIMITED, dispose: async () => undefined }));
