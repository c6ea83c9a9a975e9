import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Access } from '@palimpsest/knowledge/access';
import { KnowledgeError } from '@palimpsest/knowledge/errors';
import type { ApiKeys } from '../access/api-keys.ts';
import { policyOf } from '@palimpsest/http';
import type { AuthenticatedRequest } from '@palimpsest/http';

export class Unauthenticated extends KnowledgeError {
  readonly code = 'Unauthenticated';
  readonly retryable = false;
}

const keyIn = (header: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

/** Refreshes the keys if an unknown key has the form of ours: another process may have created it a moment ago. */
export const lookUpKey = async (keys: ApiKeys, header: string | undefined): Promise<void> => {
  const key = keyIn(header);
  if (key !== undefined && /^plk_[\w-]{20,}$/.test(key) && !keys.accessOf(key)) await keys.refresh();
};

/** Returns the access of an `Authorization` header. @throws Unauthenticated */
export const authenticate = (keys: ApiKeys, header: string | undefined): Access => {
  const key = keyIn(header);
  if (key === undefined) throw new Unauthenticated('the header "Authorization: Bearer <API key>" is missing');
  const access = keys.accessOf(key);
  if (!access) throw new Unauthenticated('the API key is unknown or was revoked');
  return access;
};

/** Returns the access of an `Authorization` header, or undefined without a valid key. */
export const callerOf = (keys: ApiKeys, header: string | undefined): Access | undefined => {
  const key = keyIn(header);
  return key === undefined ? undefined : keys.accessOf(key);
};

/** Rejects requests without a valid key, except on public routes. */
export class ApiKeyGuard implements CanActivate {
  readonly #keys: ApiKeys;

  constructor(keys: ApiKeys) {
    this.#keys = keys;
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (policyOf(request).public === true) return true;
    const { authorization } = request.headers;
    request.access = authenticate(this.#keys, authorization);
    request.isStillKnown = () => callerOf(this.#keys, authorization) !== undefined;
    return true;
  }
}
