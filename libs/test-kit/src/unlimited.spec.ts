import { UNLIMITED } from '@palimpsest/knowledge';
import { describeUnlimitedQuotaPolicy } from './quota-policy-kit.ts';

describeUnlimitedQuotaPolicy('UNLIMITED', async () => ({ policy: UNLIMITED, dispose: async () => undefined }));
