import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '@palimpsest/runtime';
import { ReadStatus } from '../operations/read-status.ts';

/** Status of the installation, served by a process that has access to all of it. */
@ApiTags('Operation')
@Controller('v1/status')
export class StatusController {
  readonly #status: ReadStatus;

  constructor(@Inject(ReadStatus) status: ReadStatus) {
    this.#status = status;
  }

  @Get()
  @ApiOperation({ summary: 'Document counts and queue of the caller’s tenant, models and generations; for an operator those of the installation, with the log, the lag of each projection and the embedding cache' })
  status(@Caller() { access }: CallerContext) {
    return this.#status.run(access);
  }
}
