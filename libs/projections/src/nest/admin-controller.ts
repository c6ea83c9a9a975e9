import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { requireRole } from '@palimpsest/knowledge';
import { Caller, type CallerContext } from '@palimpsest/runtime';
import { RebuildReadModels } from '../rebuild-read-models.ts';
import { VerifyReadModels } from '../verify-read-models.ts';

/** Maximum number of differences in a response; `differenceCount` is always complete. */
const MAX_LISTED = 1_000;

@ApiTags('Operation')
@Controller('v1/admin')
export class AdminController {
  readonly #rebuild: RebuildReadModels;
  readonly #verify: VerifyReadModels;

  constructor(@Inject(RebuildReadModels) rebuild: RebuildReadModels, @Inject(VerifyReadModels) verify: VerifyReadModels) {
    this.#rebuild = rebuild;
    this.#verify = verify;
  }

  @Post('rebuild')
  @HttpCode(200)
  @ApiOperation({ summary: 'Drop all read models and rebuild them from the log; searches return 503 until then' })
  async rebuild(@Caller() { access }: CallerContext) {
    requireRole(access, 'operator');
    const { position, ...rebuilt } = await this.#rebuild.run();
    return { ...rebuilt, position: String(position) };
  }

  @Post('verify')
  @HttpCode(200)
  @ApiOperation({ summary: 'Compare the read models with the log, chunk by chunk' })
  async verify(@Caller() { access }: CallerContext) {
    requireRole(access, 'operator');
    const { position, differences, ...verified } = await this.#verify.run();
    return { ...verified, position: String(position), differenceCount: differences.length, differences: differences.slice(0, MAX_LISTED) };
  }
}
