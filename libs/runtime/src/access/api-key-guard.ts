import { Reflector } from '@nestjs/core';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { KnowledgeError } from '@palimpsest/knowledge';
import type { ApiKeys } from './api-keys.ts';
import { PUBLIC, type AuthenticatedRequest } from './caller.ts';

export class Unauthenticated extends KnowledgeError {
  readonly code = 'Unauthenticated';
  readonly retryable = false;
}

/** Nobody gets past it without a valid key, except to what is marked public. */
export class ApiKeyGuard implements CanActivate {
  readonly #keys: ApiKeys;
  readonly #reflector = new Reflector();

  constructor(keys: ApiKeys) {
    this.#keys = keys;
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.#reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [, key] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (key === undefined) throw new Unauthenticated('the header "Authorization: Bearer <API key>" is missing');
    const access = this.#keys.accessOf(key);
    if (!access) throw new Unauthenticated('the API key is not known, or was revoked');
    request.access = access;
    return true;
  }
}
