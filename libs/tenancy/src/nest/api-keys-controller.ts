import { Controller, Inject } from '@nestjs/common';
import { createApiKey, listApiKeys, revokeApiKey } from '@palimpsest/contracts/routes/api-keys';
import { CreateApiKey, ListApiKeys, RevokeApiKey } from '../access/api-keys.ts';
import { Buses } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';

@Controller()
export class ApiKeysController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(createApiKey)
  issue({ caller, body }: Call<typeof createApiKey>) {
    return this.#buses.execute(new CreateApiKey(caller, body));
  }

  @Route(listApiKeys)
  async list({ caller }: Call<typeof listApiKeys>) {
    return { keys: await this.#buses.execute(new ListApiKeys(caller)) };
  }

  @Route(revokeApiKey)
  async revoke({ caller, params }: Call<typeof revokeApiKey>): Promise<void> {
    await this.#buses.execute(new RevokeApiKey(caller, params.keyId));
  }
}
