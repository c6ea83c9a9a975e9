import { Controller, Inject } from '@nestjs/common';
import { createApiKey, listApiKeys, revokeApiKey } from '@palimpsest/contracts/http';
import { ApiKeys } from '../access/api-keys.ts';
import { Route, type Call } from '../http/route.ts';

@Controller()
export class ApiKeysController {
  readonly #keys: ApiKeys;

  constructor(@Inject(ApiKeys) keys: ApiKeys) {
    this.#keys = keys;
  }

  @Route(createApiKey)
  issue({ access, correlationId, body }: Call<typeof createApiKey>) {
    return this.#keys.issue(access, body, correlationId);
  }

  @Route(listApiKeys)
  list({ access }: Call<typeof listApiKeys>) {
    return { keys: this.#keys.list(access.tenant) };
  }

  @Route(revokeApiKey)
  async revoke({ access, correlationId, params }: Call<typeof revokeApiKey>): Promise<void> {
    await this.#keys.revoke(access, params.keyId, correlationId);
  }
}
