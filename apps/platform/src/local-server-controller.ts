import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PROOF_PATH } from '@palimpsest/backup/local-server';
import { feature, Public } from '@palimpsest/runtime';
import { LocalServer } from './local-server.ts';

/** Used by the command line on the same machine; not part of the API. It needs no key because clients call it before they send one. */
@ApiExcludeController()
@Controller(PROOF_PATH)
class LocalServerController {
  readonly #server: LocalServer;

  constructor(@Inject(LocalServer) server: LocalServer) {
    this.#server = server;
  }

  @Get()
  @Public()
  proof(@Query('nonce') nonce: unknown) {
    return { proof: this.#server.proof(nonce) };
  }
}

export const localServerFeature = (localServer: LocalServer) => feature('local-server', () => ({ commands: {}, queries: {}, shared: [localServer], routes: [LocalServerController] }));
