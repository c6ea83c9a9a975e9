import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PROOF_PATH } from '@palimpsest/backup/local-server';
import { Public } from '@palimpsest/runtime';
import { LocalServer } from './local-server.ts';

/** Used by the command line on the same machine; not part of the API. It needs no key because clients call it before they send one. */
@ApiExcludeController()
@Controller(PROOF_PATH)
export class LocalServerController {
  readonly #server: LocalServer;

  constructor(server: LocalServer) {
    this.#server = server;
  }

  @Get()
  @Public()
  proof(@Query('nonce') nonce: unknown) {
    return { proof: this.#server.proof(nonce) };
  }
}
