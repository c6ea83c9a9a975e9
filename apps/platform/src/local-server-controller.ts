import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PROOF_PATH } from '@palimpsest/backup/local-server';
import { Public } from '@palimpsest/runtime';
import { LocalServer } from './local-server.ts';

/** Between the command line and the server of one machine, and no part of the API. It needs no key: it is asked before one is sent. */
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
