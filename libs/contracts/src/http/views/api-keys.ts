import { z } from 'zod';
import { fieldsOf, list, view } from '../view.ts';
import { requiredLabels } from './required-labels.ts';

export const apiKeyView = view('ApiKeyView', {
  keyId: z.string(),
  name: z.string(),
  tenant: z.string(),
  teams: list(z.string()),
  user: z.string().exactOptional(),
  roles: list(z.string()),
  requiredLabels: requiredLabels.exactOptional(),
  issuedAt: z.string(),
});
export type ApiKeyView = z.infer<typeof apiKeyView>;

export const apiKeyCreated = view(
  'ApiKeyCreated',
  { ...fieldsOf(apiKeyView), key: z.string() },
  '`key` is the secret. It is shown only once and is not stored.',
);
export type ApiKeyCreated = z.infer<typeof apiKeyCreated>;

export const apiKeyList = view('ApiKeyList', { keys: list(apiKeyView) });
export type ApiKeyList = z.infer<typeof apiKeyList>;
