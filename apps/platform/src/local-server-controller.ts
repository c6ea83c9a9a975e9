import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { PROOF_PATH } from '@palimpsest/backup/local-server';
import { route } from '@palimpsest/contracts/http';
import { feature } from '@palimpsest/runtime';
import { Route, type Call } from '@palimpsest/http';
import { LocalServer } from './local-server.ts';

/** Used by the command line on the same machine; not part of the API. It needs no key because clients call it before they send one. */
const prove = route({
  id: 'LocalServer.proof',
  method: 'get',
  path: PROOF_PATH,
  service: 'every',
  tag: 'Operation',
  summary: 'Prove that this server has the key of the data folder',
  description: 'For the command line on the same machine.',
  public: true,
  query: z.object({ nonce: z.unknown() }),
  status: 200,
  response: z.object({ proof: z.string() }),
});

@Controller()
class LocalServerController {
  readonly #server: LocalServer;

  constructor(@Inject(LocalServer) server: LocalServer) {
    this.#server = server;
  }

  @Route(prove)
  proof({ query }: Call<typeof prove>) {
    return { proof: this.#server.proof(query.nonce) };
  }
}

export const localServerFeature = (localServer: LocalServer) =>
  feature('local-server', () => ({ shared: [localServer], routes: [LocalServerController] }));
