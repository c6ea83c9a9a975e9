import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type CallerContext } from '../access/caller.ts';

/** Who the caller is, by its own key: what a client has to know to offer only what will be allowed. */
@ApiTags('API keys')
@Controller('v1/me')
export class CallerController {
  @Get()
  @ApiOperation({ summary: 'What the key of this request stands for' })
  me(@Caller() { access: { tenant, teams, user, roles } }: CallerContext) {
    return { tenant, teams, roles, ...(user === undefined ? {} : { user }) };
  }
}
